#include "capture/io_counts.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class IoCountsTest : public testing::Test {
 protected:
  IoCountsTest() {
    tables_.devices.resize(2);
    tables_.devices[0].name = "sda";
    tables_.devices[1].name = "sdb";
    tables_.streams.resize(2);
    tables_.streams[0].role = "lgwr";
  }
  void add(std::int64_t start_ns, std::int64_t end_ns, IoOp op = IoOp::kRead,
           std::uint32_t device = 0, std::uint32_t stream = 0) {
    RecordBatch batch;
    batch.reset(ColumnSet::all());
    IoRecord io;
    io.queue_ns = start_ns;
    io.complete_ns = end_ns;
    io.length_bytes = 8192;
    io.op = op;
    io.device = device;
    io.stream = stream;
    batch.append(io);
    counts_.add(batch, tables_);
  }
  [[nodiscard]] const IoCount& device(const char* name) const { return counts_.devices().at(name); }

  TraceTables tables_;
  IoCounts counts_;
};

TEST_F(IoCountsTest, EachIoCountsForItsDeviceAndItsRole) {
  add(0, kMs);
  add(0, kMs, IoOp::kWrite, 1);
  add(0, kMs, IoOp::kFlush, 1, 1);
  EXPECT_EQ(device("sda").reads, 1U);
  EXPECT_EQ(device("sda").read_bytes, 8192U);
  EXPECT_EQ(device("sdb").writes, 1U);
  EXPECT_EQ(device("sdb").write_bytes, 8192U);
  EXPECT_EQ(device("sdb").others, 1U);
  EXPECT_EQ(counts_.roles().at("lgwr").ios(), 2U);
  EXPECT_EQ(counts_.roles().at("-").ios(), 1U);
}

// Two of 4 ms that overlap by 2 ms, and 2 ms of nothing: busy for 6 ms of 8, 8 ms of I/O in 8 ms.
TEST_F(IoCountsTest, OverlappingIoIsBusyTimeOnceAndOutstandingTwice) {
  add(0, 4 * kMs);
  add(2 * kMs, 6 * kMs);
  EXPECT_DOUBLE_EQ(device("sda").utilisation(8 * kMs), 0.75);
  EXPECT_DOUBLE_EQ(device("sda").outstanding(8 * kMs), 1.0);
  EXPECT_DOUBLE_EQ(device("sda").utilisation(0), 0.0);
}

TEST_F(IoCountsTest, AnIoWhoseEndWasNotSeenIsCountedButNotTimed) {
  add(0, kNoTime);
  EXPECT_EQ(device("sda").reads, 1U);
  EXPECT_EQ(device("sda").latency.count(), 0U);
  EXPECT_EQ(device("sda").busy_ns, 0);
}

TEST_F(IoCountsTest, ClearedItCountsFromNothingButIsNotBusyTwice) {
  add(0, 10 * kMs);
  counts_.clear();
  EXPECT_EQ(device("sda").ios(), 0U);
  add(5 * kMs, 12 * kMs);
  EXPECT_EQ(device("sda").busy_ns, 2 * kMs);
}

}  // namespace
}  // namespace rigel
