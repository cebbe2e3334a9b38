// Mechanical disks: where the arm goes next, how long it takes, what the disk's buffer spares it.
#include "model/array/disk_bank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rigel {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMega = 1 << 20;

// So fast a spindle that the arm alone counts.
ArrayConfig one_disk() {
  ArrayConfig config;
  config.disks.law = ServiceLaw::kMechanical;
  config.disks.bytes = 1000 * kMega;
  config.disks.rpm = 100'000;
  config.disks.bytes_per_second = 100e6;
  config.disks.seek_single_ns = 1'000'000;
  config.disks.seek_average_ns = 20'000'000;
  config.disks.seek_full_ns = 50'000'000;
  config.disks.overhead_ns = 0;
  return config;
}

// Where the disk goes when these places (in MiB) come, in this order, while it reads at `first`.
std::vector<std::uint64_t> order_of(const ArrayConfig& config, std::uint64_t first,
                                    const std::vector<std::uint64_t>& places) {
  DiskBank disks{config, 1};
  const auto io = [](std::uint64_t place) { return DiskIo{place * kMega, 4096, 0, false}; };
  std::optional<std::int64_t> end = disks.arrive(0, io(first), static_cast<std::uint32_t>(first));
  for (const std::uint64_t place : places) {
    EXPECT_FALSE(disks.arrive(1, io(place), static_cast<std::uint32_t>(place)));
  }
  std::vector<std::uint64_t> order;
  while (end) {
    const DiskBank::Done done = disks.done(*end, 0);
    order.push_back(done.owner);
    end = done.next_ns;
  }
  order.erase(order.begin());
  return order;
}

TEST(DiskBank, FifoServesInOrderOfArrival) {
  EXPECT_THAT(order_of(one_disk(), 0, {900, 950, 100}), ElementsAre(900, 950, 100));
}

TEST(DiskBank, TheElevatorGoesOnInItsDirectionAndTurnsWhereNothingIsAhead) {
  ArrayConfig config = one_disk();
  config.queue = {DiskQueuePolicy::kElevator, 32};
  EXPECT_THAT(order_of(config, 0, {900, 950, 100}), ElementsAre(100, 900, 950));
  EXPECT_THAT(order_of(config, 500, {400, 600, 300, 700}), ElementsAre(600, 700, 400, 300));
}

TEST(DiskBank, OnlySoManyAsTheDepthMayBeReordered) {
  ArrayConfig config = one_disk();
  config.queue = {DiskQueuePolicy::kElevator, 2};
  EXPECT_THAT(order_of(config, 0, {900, 950, 100}), ElementsAre(900, 950, 100));
  config.queue.depth = 1;
  EXPECT_THAT(order_of(config, 500, {700, 600}), ElementsAre(700, 600));
}

TEST(DiskBank, ShortestPositioningFirstTakesTheNearestOnEitherSide) {
  ArrayConfig config = one_disk();
  config.queue = {DiskQueuePolicy::kSptf, 32};
  EXPECT_THAT(order_of(config, 500, {900, 400, 100}), ElementsAre(400, 100, 900));
}

TEST(DiskMechanism, TheSeekCurveHasTheTimesThatItWasGiven) {
  const DiskMechanism disk{one_disk().disks};
  EXPECT_DOUBLE_EQ(disk.seek_ns(7, 7), 0);
  EXPECT_NEAR(disk.seek_ns(0, disk.tracks()), 50e6, 1);
  std::mt19937_64 random{1};
  double sum = 0;
  constexpr int kPairs = 200'000;
  for (int i = 0; i < kPairs; ++i) {
    sum +=
        disk.seek_ns(disk.tracks() * unit_interval(random), disk.tracks() * unit_interval(random));
  }
  EXPECT_NEAR(sum / kPairs, 20e6, 0.1e6);
}

TEST(DiskMechanism, ABlockIsHalfATurnAwayOnAverageAndNeverAWholeOne) {
  DiskConfig config = one_disk().disks;
  config.rpm = 6000;  // a turn of 10 ms
  config.overhead_ns = 300'000;
  config.write_overhead_ns = 700'000;
  const DiskMechanism disk{config};
  double sum = 0;
  constexpr int kTimes = 1000;
  for (int i = 0; i < kTimes; ++i) {
    const double time = disk.positioning_ns(i * 10'000, 0, 4096, false);
    EXPECT_GE(time, 0.3e6);
    EXPECT_LT(time, 10.3e6 + 1);
    sum += time;
  }
  EXPECT_NEAR(sum / kTimes, 5.3e6, 0.02e6);
  // What the overhead takes, the turn gives: the block is met a turn later or not at all.
  const double apart =
      disk.positioning_ns(0, 0, 4096, true) - disk.positioning_ns(0, 0, 4096, false);
  EXPECT_NEAR(std::remainder(apart, 10e6), 0, 1);
}

TEST(DiskMechanism, WithinACylinderTheArmRests) {
  DiskConfig config = one_disk().disks;
  config.heads = 4;
  const DiskMechanism disk{config};
  EXPECT_DOUBLE_EQ(disk.seek_ns(4, 7), 0);
  EXPECT_GT(disk.seek_ns(3, 4), 0.9e6);
}

class BufferedDisk : public testing::Test {
 protected:
  BufferedDisk() : config_{one_disk().disks} {
    config_.buffer_segments = 1;
    config_.buffer_time_ns = 200'000;
    config_.write_overhead_ns = 300'000;
    config_.interface_bytes_per_second = 4096e3;  // 1 ms for 4 KiB
    config_.write_buffer = true;
  }
  DiskConfig config_;
};

TEST_F(BufferedDisk, AnswersFromTheBufferWhatItHasReadAhead) {
  const DiskMechanism mechanism{config_};
  DiskArm disk{config_, mechanism, 0};
  const std::int64_t end_ns = disk.serve(0, {500 * kMega, 4096, 0, false}, mechanism).end_ns;
  EXPECT_GT(end_ns, 1'000'000);
  const std::int64_t later = end_ns + 100'000'000;
  EXPECT_EQ(disk.serve(later, {500 * kMega + 8192, 4096, 0, false}, mechanism).end_ns,
            later + 1'200'000);
}

TEST_F(BufferedDisk, AWriteIsDoneBeforeItIsOnThePlatterAndTheNextOneFindsNoRoom) {
  const DiskMechanism mechanism{config_};
  DiskArm disk{config_, mechanism, 0};
  const DiskArm::Served first = disk.serve(0, {500 * kMega, 4096, 0, true}, mechanism);
  EXPECT_EQ(first.end_ns, 1'300'000);
  EXPECT_GT(first.busy_ns, 10e6) << "the arm goes there behind the host's back";
  const std::int64_t second_ns =
      disk.serve(first.end_ns, {100 * kMega, 4096, 0, true}, mechanism).end_ns;
  EXPECT_NEAR(static_cast<double>(second_ns), 1.3e6 + first.busy_ns + 1.3e6, 1);
}

TEST_F(BufferedDisk, AReadWaitsForTheArmThatWrites) {
  const DiskMechanism mechanism{config_};
  DiskArm disk{config_, mechanism, 0};
  const DiskArm::Served write = disk.serve(0, {500 * kMega, 4096, 0, true}, mechanism);
  const DiskArm::Served read = disk.serve(write.end_ns, {900 * kMega, 4096, 0, false}, mechanism);
  EXPECT_NEAR(static_cast<double>(read.end_ns),
              static_cast<double>(write.end_ns) + write.busy_ns + read.busy_ns, 1);
}

}  // namespace
}  // namespace rigel
