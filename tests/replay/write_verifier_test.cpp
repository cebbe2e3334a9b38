#include "replay/write_verifier.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>

namespace rigel {
namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint64_t kRun = 42;

// A target in memory, 1 MiB, that does with writes what the test says.
class WriteVerifierTest : public testing::Test {
 protected:
  using Bytes = std::vector<std::byte>;

  // A write of so many blocks, stamped and acknowledged; what arrives is up to the test.
  Bytes write(std::uint64_t offset, std::size_t blocks = 8) {
    Bytes data(blocks * kBlock, std::byte{0x5a});
    const std::uint32_t generation = verifier_.write_issued(offset, data);
    verifier_.write_completed(offset, static_cast<std::uint32_t>(data.size()), generation, true);
    return data;
  }
  void store(std::uint64_t offset, std::span<const std::byte> data) {
    std::memcpy(&device_[offset], data.data(), data.size());
  }
  Bytes write_and_store(std::uint64_t offset, std::size_t blocks = 8) {
    Bytes data = write(offset, blocks);
    store(offset, data);
    return data;
  }
  void read(std::uint64_t offset, std::size_t blocks = 8) {
    verifier_.read_completed(offset, std::span{device_}.subspan(offset, blocks * kBlock),
                             verifier_.read_issued());
  }
  std::map<std::string, std::uint64_t> faults() const {
    std::map<std::string, std::uint64_t> named;
    for (std::size_t i = 0; i < kVerifyFaultCount; ++i) {
      const std::uint64_t count = verifier_.result().faults[i];
      if (count != 0) named[std::string{fault_name(static_cast<VerifyFault>(i))}] = count;
    }
    return named;
  }
  using Faults = std::map<std::string, std::uint64_t>;

  Bytes device_ = Bytes(1 << 20);
  WriteVerifier verifier_{0, kBlock, kRun};
};

TEST_F(WriteVerifierTest, WhatIsGivenBackAsWrittenIsRight) {
  write_and_store(8192);
  write_and_store(8192 + 2048);  // over the second half of it
  read(8192, 12);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(verifier_.result().checked_during, 12U);
  EXPECT_EQ(verifier_.result().blocks_written, 16U);
}

TEST_F(WriteVerifierTest, WhatWasNeverWrittenIsNotChecked) {
  read(0);
  EXPECT_EQ(verifier_.result().checked_during, 0U);
}

TEST_F(WriteVerifierTest, AWriteThatWentElsewhereIsFoundAtBothPlaces) {
  write_and_store(65536);
  store(65536, write(4096));  // meant for 4096
  read(65536);
  read(4096);
  EXPECT_EQ(faults(), (Faults{{"misdirected", 8}, {"lost", 8}}));
  EXPECT_EQ(verifier_.result().first[0].offset_bytes, 65536U);
  EXPECT_EQ(verifier_.result().first[0].meant_for_bytes, 4096U);
}

TEST_F(WriteVerifierTest, HalfAWriteIsTornHoweverItsOtherHalfLooks) {
  const Bytes first = write(0);  // onto a blank device
  store(0, std::span{first}.first(4 * kBlock));
  read(0);
  EXPECT_EQ(faults(), (Faults{{"torn", 4}}));
  write_and_store(32768);
  const Bytes second = write(32768);  // over an older write
  store(32768, std::span{second}.first(4 * kBlock));
  read(32768);
  EXPECT_EQ(faults(), (Faults{{"torn", 8}}));
}

TEST_F(WriteVerifierTest, ABlockOfTwoWritesIsTorn) {
  const Bytes data = write_and_store(0, 1);
  device_[300] ^= std::byte{1};
  read(0, 1);
  EXPECT_EQ(faults(), (Faults{{"torn", 1}}));
}

TEST_F(WriteVerifierTest, AWriteThatIsNotThereIsLost) {
  write(0);
  read(0);
  EXPECT_EQ(faults(), (Faults{{"lost", 8}}));
}

TEST_F(WriteVerifierTest, AStampOfAnotherRunIsNoneOfThisOne) {
  WriteVerifier earlier{0, kBlock, kRun - 1};
  Bytes data(8 * kBlock);
  static_cast<void>(earlier.write_issued(0, data));
  store(0, data);
  write(0);
  read(0);
  EXPECT_EQ(faults(), (Faults{{"lost", 8}}));
}

TEST_F(WriteVerifierTest, AnOlderWriteIsStale) {
  write_and_store(0);
  write(0);
  read(0);
  EXPECT_EQ(faults(), (Faults{{"stale", 8}}));
}

TEST_F(WriteVerifierTest, AReadMayMissAWriteThatCompletedMeanwhile) {
  write_and_store(0);
  const std::uint32_t issued = verifier_.read_issued();
  write(0);
  verifier_.read_completed(0, std::span{device_}.first(8 * kBlock), issued);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(verifier_.result().checked_during, 0U);
}

TEST_F(WriteVerifierTest, WritesThatOverlapLeaveItOpenWhichOneIsThere) {
  Bytes one(8 * kBlock);
  Bytes two(8 * kBlock);
  const std::uint32_t first = verifier_.write_issued(0, one);
  const std::uint32_t second = verifier_.write_issued(2048, two);
  verifier_.write_completed(2048, 8 * kBlock, second, true);
  verifier_.write_completed(0, 8 * kBlock, first, true);
  store(2048, two);
  store(0, one);  // the first one last
  read(0, 16);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(verifier_.result().checked_during, 8U);  // the ends of both
  write_and_store(2048, 1);                          // by itself: certain again
  read(2048, 1);
  EXPECT_EQ(verifier_.result().checked_during, 9U);
}

TEST_F(WriteVerifierTest, FailedWritesAndDiscardsLeaveItOpenWhatIsThere) {
  Bytes data(8 * kBlock);
  const std::uint32_t generation = verifier_.write_issued(0, data);
  verifier_.write_completed(0, 8 * kBlock, generation, false);
  read(0);
  write(65536);
  verifier_.clear_issued(65536, 8 * kBlock);
  verifier_.clear_completed(65536, 8 * kBlock);
  read(65536);
  EXPECT_EQ(faults(), Faults{});
  EXPECT_EQ(verifier_.result().checked_during, 0U);
}

TEST_F(WriteVerifierTest, ReadingBackFindsWhatNobodyRead) {
  const int fd = memfd_create("rigel-verify", 0);
  ASSERT_GE(fd, 0);
  for (std::uint64_t i = 0; i < 100; ++i) write_and_store(i * 8192);
  write(40 * 8192);  // lost
  ASSERT_EQ(pwrite(fd, device_.data(), device_.size(), 0), 1 << 20);
  verifier_.read_back(fd, nullptr);
  EXPECT_EQ(faults(), (Faults{{"stale", 8}}));
  EXPECT_EQ(verifier_.result().checked_after, 800U);
  EXPECT_TRUE(verifier_.result().complete);
  // The target shrinks: what cannot be read is not passed over.
  ASSERT_EQ(ftruncate(fd, 50 * 8192), 0);
  verifier_.read_back(fd, nullptr);
  EXPECT_EQ(verifier_.result().unreadable, 400U);
  const std::atomic<bool> stop{true};
  verifier_.read_back(fd, &stop);
  EXPECT_FALSE(verifier_.result().complete);
  close(fd);
}

}  // namespace
}  // namespace rigel
