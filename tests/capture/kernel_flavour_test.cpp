#include "capture/kernel_flavour.hpp"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "traces/error.hpp"
#include "traces/io_record.hpp"

namespace rigel {
namespace {

struct Freed {
  void operator()(btf* object) const { btf__free(object); }
};

// The BTF of a kernel that never was, put together from what did differ.
class Kernel {
 public:
  Kernel() {
    integer_ = btf__add_int(get(), "int", 4, BTF_INT_SIGNED);
    const int byte = btf__add_int(get(), "unsigned char", 1, 0);
    status_ = btf__add_typedef(get(), "blk_status_t", byte);
    void_pointer_ = btf__add_ptr(get(), 0);
    queue_ = pointer_to("request_queue");
    request_ = pointer_to("request");
    bio_ = pointer_to("bio");
  }
  Kernel& tracepoint(const std::string& name, const std::vector<int>& types) {
    const int function = btf__add_func_proto(get(), 0);
    btf__add_func_param(get(), "data", void_pointer_);
    for (const int type : types) btf__add_func_param(get(), "argument", type);
    btf__add_typedef(get(), ("btf_trace_" + name).c_str(), btf__add_ptr(get(), function));
    return *this;
  }
  Kernel& enumeration(const char* name, const std::vector<std::pair<const char*, int>>& values) {
    btf__add_enum(get(), name, 4);
    for (const auto& [value, number] : values) btf__add_enum_value(get(), value, number);
    return *this;
  }
  // Since 5.16; see the header for the commits.
  Kernel& with_today_s_tracepoints() {
    return tracepoint("block_rq_issue", {request_})
        .tracepoint("block_bio_queue", {bio_})
        .tracepoint("block_rq_complete", {request_, status_, integer_});
  }
  Kernel& with_tracepoints_of_5_10() {
    return tracepoint("block_rq_issue", {queue_, request_})
        .tracepoint("block_bio_queue", {queue_, bio_})
        .tracepoint("block_rq_complete", {request_, integer_, integer_});
  }
  [[nodiscard]] KernelFlavour flavour() const { return flavour_of(*object_); }

 private:
  [[nodiscard]] btf* get() const { return object_.get(); }
  int pointer_to(const char* name) { return btf__add_ptr(get(), btf__add_struct(get(), name, 8)); }

  std::unique_ptr<btf, Freed> object_{btf__new_empty()};
  int integer_ = 0;
  int status_ = 0;
  int void_pointer_ = 0;
  int queue_ = 0;
  int request_ = 0;
  int bio_ = 0;
};

TEST(KernelFlavourTest, TodaysTracepointsBeginWithTheRequestOrBio) {
  const KernelFlavour flavour = Kernel{}.with_today_s_tracepoints().flavour();
  EXPECT_FALSE(flavour.rq_after_queue);
  EXPECT_FALSE(flavour.bio_after_queue);
  EXPECT_FALSE(flavour.status_is_errno);
}

TEST(KernelFlavourTest, OlderTracepointsBeginWithTheQueueAndEndWithAnErrno) {
  const KernelFlavour flavour = Kernel{}.with_tracepoints_of_5_10().flavour();
  EXPECT_TRUE(flavour.rq_after_queue);
  EXPECT_TRUE(flavour.bio_after_queue);
  EXPECT_TRUE(flavour.status_is_errno);
}

TEST(KernelFlavourTest, AKernelWithoutTheTracepointsIsRefusedByName) {
  try {
    static_cast<void>(Kernel{}.flavour());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string{error.what()}.find("block_rq_issue"), std::string::npos) << error.what();
  }
}

TEST(KernelFlavourTest, TheFlushSequenceFlagIsBitFourUntilAnEnumSaysOtherwise) {
  EXPECT_EQ(Kernel{}.with_today_s_tracepoints().flavour().flush_sequence_mask, 1U << 4);
  EXPECT_EQ(Kernel{}
                .with_today_s_tracepoints()
                .enumeration("rqf_flags", {{"__RQF_STARTED", 0}, {"__RQF_FLUSH_SEQ", 1}})
                .flavour()
                .flush_sequence_mask,
            1U << 1);
}

TEST(KernelFlavourTest, RequestFlagsAreFoundByName) {
  const KernelFlavour flavour =
      Kernel{}
          .with_today_s_tracepoints()
          .enumeration("req_flag_bits",
                       {{"__REQ_SYNC", 11}, {"__REQ_FUA", 17}, {"__REQ_HIPRI", 25}})
          .flavour();
  EXPECT_EQ(flavour.flags_of(1 | 1U << 11 | 1U << 17), io_flag::kSync | io_flag::kFua);
  EXPECT_EQ(flavour.flags_of(1U << 25), io_flag::kPolled);
  EXPECT_EQ(flavour.flags_of(1U << 12), 0U);
  EXPECT_EQ(flavour.flags_of(0xff), 0U) << "the operation is no flag";
}

TEST(KernelFlavourTest, ZoneAppendMovedAndSoDidItsEnum) {
  EXPECT_EQ(Kernel{}
                .with_today_s_tracepoints()
                .enumeration("req_opf", {{"REQ_OP_ZONE_APPEND", 13}})
                .flavour()
                .zone_append_op,
            13);
  EXPECT_EQ(Kernel{}
                .with_today_s_tracepoints()
                .enumeration("req_op", {{"REQ_OP_ZONE_APPEND", 7}})
                .flavour()
                .zone_append_op,
            7);
  EXPECT_EQ(Kernel{}.with_today_s_tracepoints().flavour().zone_append_op, 0);
}

TEST(KernelFlavourTest, WritebackIsFoundAmongThePagesFlags) {
  EXPECT_EQ(Kernel{}
                .with_today_s_tracepoints()
                .enumeration("pageflags", {{"PG_locked", 0}, {"PG_writeback", 15}})
                .flavour()
                .writeback_mask,
            1U << 15);
}

// Kernels that there are; where their BTF comes from is in kernels/README.md. The numbers are those
// of the kernels' headers.
struct RealKernel {
  const char* name;
  bool queue_first;  // rq_after_queue and bio_after_queue
  bool status_is_errno;
  unsigned flush_sequence_bit;
  unsigned writeback_bit;
  std::uint8_t zone_append_op;
};

void PrintTo(const RealKernel& kernel, std::ostream* out) {
  *out << kernel.name;
}

class RealKernelTest : public testing::TestWithParam<RealKernel> {
 protected:
  RealKernelTest()
      : btf_{
            btf__parse_raw((std::string{RIGEL_KERNELS} + "/" + GetParam().name + ".btf").c_str())} {
    if (!btf_) throw Error{std::string{"no BTF of "} + GetParam().name};
  }
  // The name of the struct that a tracepoint's argument points to; the first is 0.
  [[nodiscard]] std::string argument(const char* tracepoint, std::uint32_t index) const {
    const std::string name = std::string{"btf_trace_block_"} + tracepoint;
    const int id = btf__find_by_name_kind(btf_.get(), name.c_str(), BTF_KIND_TYPEDEF);
    if (id < 0) return "no such tracepoint";
    const btf_type* function = type(type(type(static_cast<std::uint32_t>(id))->type)->type);
    if (index + 1 >= btf_vlen(function)) return "no such argument";
    const btf_type* pointer = type(btf_params(function)[index + 1].type);
    if (!btf_is_ptr(pointer)) return "no pointer";
    return btf__name_by_offset(btf_.get(), type(pointer->type)->name_off);
  }
  [[nodiscard]] const btf& kernel() const { return *btf_; }

 private:
  [[nodiscard]] const btf_type* type(std::uint32_t id) const {
    return btf__type_by_id(btf_.get(), id);
  }
  std::unique_ptr<btf, Freed> btf_;
};

TEST_P(RealKernelTest, IsRecognised) {
  const KernelFlavour flavour = flavour_of(kernel());
  EXPECT_EQ(flavour.rq_after_queue, GetParam().queue_first);
  EXPECT_EQ(flavour.bio_after_queue, GetParam().queue_first);
  EXPECT_EQ(flavour.status_is_errno, GetParam().status_is_errno);
  EXPECT_EQ(flavour.flush_sequence_mask, 1U << GetParam().flush_sequence_bit);
  EXPECT_EQ(flavour.writeback_mask, std::uint64_t{1} << GetParam().writeback_bit);
  EXPECT_EQ(flavour.zone_append_op, GetParam().zone_append_op);
  EXPECT_EQ(flavour.flags_of(1U << 17), io_flag::kFua);
}

TEST_P(RealKernelTest, HandsOverWhatTheProgramsTakeFromTheTracepoints) {
  for (const char* tracepoint : {"bio_queue", "bio_backmerge", "bio_frontmerge", "split"}) {
    EXPECT_EQ(argument(tracepoint, 0), "bio") << tracepoint;
  }
  for (const char* tracepoint : {"rq_issue", "rq_complete", "rq_merge"}) {
    EXPECT_EQ(argument(tracepoint, 0), "request") << tracepoint;
  }
  EXPECT_EQ(argument("bio_complete", 1), "bio");
}

INSTANTIATE_TEST_SUITE_P(Kernels, RealKernelTest,
                         testing::Values(RealKernel{"6.1", false, false, 4, 15, 7},

                                         RealKernel{"6.18", false, false, 1, 1, 7}),
                         [](const auto& kernel) {
                           std::string name = std::string{"Linux"} + kernel.param.name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace rigel
