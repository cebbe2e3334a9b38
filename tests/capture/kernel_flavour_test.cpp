#include "capture/kernel_flavour.hpp"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <memory>
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

}  // namespace
}  // namespace rigel
