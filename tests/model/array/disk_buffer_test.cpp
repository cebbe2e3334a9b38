#include "model/array/disk_buffer.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

constexpr double kNsPerByte = 10;
constexpr std::uint64_t kSegment = 1000;

TEST(DiskBuffer, WithoutSegmentsNothingIsEverThere) {
  DiskBuffer buffer{{}, kNsPerByte};
  buffer.read(0, 0, 100);
  EXPECT_FALSE(buffer.find(1'000'000, 0, 100));
}

TEST(DiskBuffer, WhatWasReadIsThereAndWhatFollowsComesAtTheRateOfTheMedia) {
  DiskBuffer buffer{{.segments = 2, .segment_bytes = kSegment}, kNsPerByte};
  buffer.read(500, 0, 100);
  EXPECT_EQ(buffer.find(600, 0, 100), 600);
  // 200 bytes on: 100 were read ahead in 1,000 ns, the next come 2,000 ns after the read's end.
  EXPECT_EQ(buffer.find(1500, 100, 200), 500 + 200 * 10);
  EXPECT_EQ(buffer.find(4000, 100, 200), 4000);
  EXPECT_FALSE(buffer.find(4000, 5000, 100)) << "beyond";
}

TEST(DiskBuffer, ReadingAheadEndsWhenTheArmLeaves) {
  DiskBuffer buffer{{.segments = 2, .segment_bytes = kSegment}, kNsPerByte};
  buffer.read(0, 0, 100);
  buffer.arm_leaves(1000);
  EXPECT_EQ(buffer.find(50'000, 100, 100), 50'000);
  EXPECT_FALSE(buffer.find(50'000, 150, 100));
}

TEST(DiskBuffer, ReadsAheadASegmentBeyondWhatWasAskedFor) {
  DiskBuffer buffer{{.segments = 1, .segment_bytes = kSegment}, kNsPerByte};
  buffer.read(0, 0, 100);
  EXPECT_TRUE(buffer.find(1'000'000, 1000, 100));
  EXPECT_FALSE(buffer.find(1'000'000, 2300, 100)) << "the arm has only begun to go on";
  EXPECT_TRUE(buffer.find(2'000'000, 2000, 100));
  EXPECT_FALSE(buffer.find(2'000'000, 0, 100)) << "the segment has moved on";
}

TEST(DiskBuffer, StopsAtTheEndOfTheTrack) {
  DiskBuffer buffer{{.segments = 1, .segment_bytes = kSegment, .stop_bytes = 300}, kNsPerByte};
  buffer.read(0, 0, 100);
  EXPECT_TRUE(buffer.find(1'000'000, 200, 100));
  EXPECT_FALSE(buffer.find(1'000'000, 300, 100));
}

TEST(DiskBuffer, AroundHoldsWhatComesBeforeToo) {
  DiskBuffer buffer{{.segments = 1, .segment_bytes = kSegment, .stop_bytes = 300, .around = true},
                    kNsPerByte};
  buffer.read(0, 500, 50);
  EXPECT_TRUE(buffer.find(1'000'000, 300, 100));
  EXPECT_FALSE(buffer.find(1'000'000, 250, 100));
}

TEST(DiskBuffer, TheSegmentUsedLongestAgoIsGivenUp) {
  DiskBuffer buffer{{.segments = 2, .segment_bytes = kSegment}, kNsPerByte};
  buffer.read(0, 0, 100);
  buffer.arm_leaves(0);
  buffer.read(0, 10'000, 100);
  buffer.arm_leaves(0);
  EXPECT_TRUE(buffer.find(0, 0, 100));
  buffer.read(0, 20'000, 100);
  EXPECT_TRUE(buffer.find(0, 0, 100));
  EXPECT_FALSE(buffer.find(0, 10'000, 100));
}

TEST(DiskBuffer, AWriteMakesWhatWasHeldInvalidAndIsHeldItself) {
  DiskBuffer buffer{{.segments = 3, .segment_bytes = kSegment}, kNsPerByte};
  buffer.read(0, 0, 500);
  buffer.arm_leaves(0);
  buffer.write(100, 50);
  EXPECT_FALSE(buffer.find(0, 0, 100));
  EXPECT_TRUE(buffer.find(0, 100, 50));
}

}  // namespace
}  // namespace rigel
