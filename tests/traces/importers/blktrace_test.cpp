// blktrace's binary, built here by the layout of include/uapi/linux/blktrace_api.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kRead = 1U << 16;
constexpr std::uint32_t kWrite = 2U << 16;
constexpr std::uint32_t kFlush = 4U << 16;
constexpr std::uint32_t kSync = 8U << 16;
constexpr std::uint32_t kNotify = 1U << 26;
constexpr std::uint32_t kDiscard = 1U << 29;
constexpr std::uint32_t kFua = 1U << 31;
constexpr std::uint32_t kQueue = 1;
constexpr std::uint32_t kIssue = 7;
constexpr std::uint32_t kComplete = 8;
constexpr std::uint32_t kCgroup = 1U << 8;

class Builder {
 public:
  explicit Builder(bool swapped = false) : swapped_{swapped} {}

  Builder& event(std::uint32_t action, std::uint64_t time, std::uint64_t sector,
                 std::uint32_t bytes, std::string payload = {}) {
    put<std::uint32_t>(0x65617407);
    put<std::uint32_t>(++sequence_);
    put(time);
    put(sector);
    put(bytes);
    put(action);
    put(pid);
    put<std::uint32_t>((8U << 20) | 16);
    put(cpu);
    put(error);
    put(static_cast<std::uint16_t>(payload.size()));
    bytes_ += payload;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string word(std::uint32_t value) const {
    Builder b{swapped_};
    b.put(value);
    return b.bytes_;
  }

  std::uint32_t pid = 42;
  std::uint32_t cpu = 0;
  std::uint16_t error = 0;

 private:
  template <typename T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      const std::size_t at = swapped_ ? sizeof value - 1 - i : i;
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * at)));
    }
  }
  bool swapped_;
  std::uint32_t sequence_ = 0;
  std::string bytes_;
};

Builder one_write(bool swapped) {
  Builder b{swapped};
  b.event(kNotify | 0, 900, 0, 0, std::string("ora_lgwr\0\0\0\0\0\0\0\0", 16));
  b.event(kNotify | 1, 1000, 0, 0, b.word(1'700'000'000) + b.word(5));
  b.event(kWrite | kSync | kFua | kQueue, 2000, 100, 4096);
  b.event(kWrite | kSync | kFua | kIssue, 2100, 100, 4096);
  b.event(kWrite | kSync | kFua | kComplete, 2900, 100, 4096);
  return b;
}

TEST(Blktrace, IsReadInEitherByteOrder) {
  for (const bool swapped : {false, true}) {
    const Imported trace = import_text(one_write(swapped).bytes());
    ASSERT_EQ(trace.records.size(), 1U) << swapped;
    const IoRecord& record = trace.records[0];
    EXPECT_EQ(record.queue_ns, 0);
    EXPECT_EQ(record.issue_ns, 100);
    EXPECT_EQ(record.complete_ns, 900);
    EXPECT_EQ(record.offset_bytes, 51200U);
    EXPECT_EQ(record.length_bytes, 4096U);
    EXPECT_EQ(record.op, IoOp::kWrite);
    EXPECT_EQ(record.flags, io_flag::kSync | io_flag::kFua);
    EXPECT_EQ(trace.tables.streams[record.stream].comm, "ora_lgwr");
    EXPECT_EQ(trace.tables.streams[record.stream].pid, 42U);
    EXPECT_EQ(trace.tables.devices[record.device].minor, 16U);
    // The note ties 1000 ns to 1700000000.000000005 s; t = 0 is at 2000 ns.
    EXPECT_EQ(trace.tables.meta.start_wall_ns, 1'700'000'000'000'001'005);
  }
}

TEST(Blktrace, TheFilesOfASetAreMergedByTime) {
  Builder cpu0;
  Builder cpu1;
  cpu1.cpu = 1;
  cpu0.event(kRead | kQueue, 1000, 8, 512).event(kRead | kIssue, 1010, 8, 512);
  cpu1.event(kRead | kComplete, 1500, 8, 512);
  cpu1.event(kRead | kQueue, 1600, 16, 512).event(kRead | kIssue, 1610, 16, 512);
  cpu0.event(kRead | kComplete, 1700, 16, 512);
  // An empty file of a CPU that saw nothing is no hindrance.
  const Imported trace = import_texts({cpu1.bytes(), "", cpu0.bytes()});
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.records[0].complete_ns, 500);
  EXPECT_EQ(trace.records[0].cpu, 0);
  EXPECT_EQ(trace.records[1].queue_ns, 600);
  EXPECT_EQ(trace.records[1].cpu, 1);
  EXPECT_EQ(trace.records[1].complete_ns, 700);
  EXPECT_TRUE(trace.tables.warnings.empty());
}

TEST(Blktrace, OneFileOfASetSaysWhatItMisses) {
  Builder cpu0;
  cpu0.event(kRead | kQueue, 1000, 8, 512).event(kRead | kIssue, 1010, 8, 512);
  cpu0.event(kRead | kComplete, 1700, 16, 512);
  const Imported trace = import_text(cpu0.bytes());
  EXPECT_EQ(trace.records.size(), 2U);
  EXPECT_THAT(trace.tables.warnings,
              ElementsAre(HasSubstr("1 I/Os have no completion and 1 completions no start")));
}

TEST(Blktrace, OperationsAndErrorsAreTheKernels) {
  Builder b;
  b.event(kWrite | kDiscard | kIssue, 1, 0, 65536);
  b.event(kRead | kFlush | kIssue, 2, ~0ULL, 0);  // as some drivers trace a flush
  b.event(kWrite | kFlush | kIssue, 3, 64, 512);  // a write with a preflush
  b.error = static_cast<std::uint16_t>(-5);
  b.event(kWrite | kDiscard | kComplete, 4, 0, 65536);
  const Imported trace = import_text(b.bytes());
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[0].op, IoOp::kDiscard);
  EXPECT_EQ(trace.records[0].status, 5);
  EXPECT_EQ(trace.records[1].op, IoOp::kFlush);
  EXPECT_EQ(trace.records[1].offset_bytes, 0U);
  EXPECT_EQ(trace.records[2].op, IoOp::kWrite);
  EXPECT_NE(trace.records[2].flags & io_flag::kPreflush, 0U);
}

TEST(Blktrace, PayloadsOfCgroupsAndMessagesArePassedOver) {
  Builder b;
  b.event(kNotify | kCgroup | 0, 1, 0, 0, std::string(8, '\1') + std::string("fio\0", 4));
  b.event(kNotify | 2, 1, 0, 0, "a message of any length");
  b.event(kRead | kCgroup | kQueue, 2, 0, 512, std::string(8, '\1'));
  b.event(kRead | kCgroup | kComplete, 3, 0, 512, std::string(8, '\1'));
  const Imported trace = import_text(b.bytes());
  ASSERT_EQ(trace.records.size(), 1U);
  EXPECT_EQ(trace.tables.streams[trace.records[0].stream].comm, "fio");
  EXPECT_EQ(trace.records[0].complete_ns, 1);
}

TEST(Blktrace, IsReadUpToACutAtAnyByte) {
  const std::string whole = one_write(false).bytes();
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const Imported trace = import_text(std::string_view{whole}.substr(0, size));
    EXPECT_LE(trace.records.size(), 1U);
    const bool at_a_boundary = size == 64 || size == 120 || size == 168 || size == 216;
    EXPECT_EQ(trace.tables.damage.size(), at_a_boundary ? 0U : 1U) << size;
  }
}

TEST(Blktrace, GarbageBehindGoodRecordsEndsTheFileThere) {
  const std::string whole = one_write(false).bytes();
  const Imported trace = import_text(whole + std::string(100, '\7'));
  EXPECT_EQ(trace.records.size(), 1U);
  ASSERT_EQ(trace.tables.damage.size(), 1U);
  EXPECT_EQ(trace.tables.damage[0].offset_bytes, whole.size());
}

}  // namespace
}  // namespace rigel
