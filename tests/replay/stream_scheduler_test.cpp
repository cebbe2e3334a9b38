#include "replay/stream_scheduler.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

class StreamSchedulerTest : public testing::Test {
 protected:
  void add(std::uint32_t stream, std::int64_t think_ns, std::uint64_t overlapped = 0,
           bool overlapped_before = false) {
    PlannedIo io;
    io.stream = stream;
    io.due_ns = think_ns;
    io.overlapped = overlapped;
    io.overlapped_before = overlapped_before;
    io.offset_bytes = offset_ += 4096;
    ASSERT_EQ(queue_.push({&io, 1}), 1U);
  }
  // front() must be due then; issues it.
  void issue_at(std::int64_t due_ns, std::uint32_t slot) {
    const PlannedIo* io = streams_.front();
    ASSERT_NE(io, nullptr);
    EXPECT_EQ(io->due_ns, due_ns);
    streams_.issued(slot, due_ns);
  }

  std::uint64_t offset_ = 0;
  IoQueue queue_{256};
  StreamScheduler streams_{queue_, 128};
};

TEST_F(StreamSchedulerTest, TheNextIsDueItsThinkTimeAfterTheCompletionHoweverLongThatTook) {
  add(0, 5);
  add(0, 20);
  issue_at(5, 0);
  EXPECT_EQ(streams_.front(), nullptr);
  streams_.completed(0, 1000);
  issue_at(1020, 0);
}

TEST_F(StreamSchedulerTest, WhatOverlappedIsIssuedBesideIt) {
  add(0, 0);
  add(0, 30, 0b1);
  issue_at(0, 0);
  issue_at(30, 1);
}

TEST_F(StreamSchedulerTest, NotTheNumberInFlightCountsButWhichOnes) {
  add(0, 0);        // A
  add(0, 10, 0b1);  // B beside A
  add(0, 5, 0b1);   // C beside B, after A
  issue_at(0, 0);
  issue_at(10, 1);
  streams_.completed(1, 50);  // B first: C waits for A all the same
  EXPECT_EQ(streams_.front(), nullptr);
  streams_.completed(0, 70);
  issue_at(75, 0);
}

TEST_F(StreamSchedulerTest, StreamsDoNotWaitForEachOther) {
  add(0, 0);
  add(1, 8);
  add(0, 1);
  add(1, 2);
  issue_at(0, 0);
  issue_at(8, 1);
  streams_.completed(1, 20);
  issue_at(22, 1);  // of stream 1, while stream 0 waits
  EXPECT_EQ(streams_.front(), nullptr);
  EXPECT_FALSE(streams_.finished());
  queue_.close();
  streams_.completed(0, 500);
  issue_at(501, 0);
  EXPECT_TRUE(streams_.finished());
}

TEST_F(StreamSchedulerTest, OneFarBackIsWaitedForUnlessItWasNotWhenRecorded) {
  add(0, 0);
  std::uint64_t beside = 1;
  for (int i = 1; i < 70; ++i) {
    add(0, 1, beside, i > 64);
    beside = i >= 64 ? 0 : beside << 1U;  // only the first one stays in flight
  }
  add(0, 1);  // and this one waited for it
  issue_at(0, 0);
  for (std::int64_t i = 1; i < 70; ++i) {
    issue_at(i, 1);
    streams_.completed(1, i);
  }
  EXPECT_EQ(streams_.front(), nullptr);
  streams_.completed(0, 1000);
  issue_at(1001, 0);
}

}  // namespace
}  // namespace rigel
