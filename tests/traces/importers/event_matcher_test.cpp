#include "traces/importers/event_matcher.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

using Kind = BlockEvent::Kind;

class EventMatching : public testing::Test {
 protected:
  void event(Kind kind, std::int64_t time, std::uint64_t offset, std::uint32_t length,
             IoOp op = IoOp::kRead, std::uint32_t stream = 0) {
    BlockEvent e;
    e.kind = kind;
    e.time_ns = time;
    e.offset_bytes = offset;
    e.length_bytes = length;
    e.op = op;
    e.stream = stream;
    matcher_.add(e);
  }
  std::vector<IoRecord> records() {
    matcher_.finish();
    std::vector<IoRecord> all;
    for (IoRecord record; matcher_.take(record);) all.push_back(record);
    return all;
  }
  EventMatcher matcher_;
};

TEST_F(EventMatching, QueueIssueAndCompletionBecomeOneRecord) {
  event(Kind::kQueue, 10, 4096, 512, IoOp::kWrite, 7);
  event(Kind::kIssue, 12, 4096, 512, IoOp::kWrite, 9);
  event(Kind::kComplete, 20, 4096, 512, IoOp::kWrite);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].queue_ns, 10);
  EXPECT_EQ(all[0].issue_ns, 12);
  EXPECT_EQ(all[0].complete_ns, 20);
  EXPECT_EQ(all[0].stream, 7U);  // who queued it, not who dispatched it
  EXPECT_EQ(all[0].flags, 0U);
}

TEST_F(EventMatching, MergedBiosAreOneRequestFromTheFirstOnesTime) {
  event(Kind::kQueue, 10, 4096, 4096);
  event(Kind::kQueue, 5, 0, 4096);
  event(Kind::kQueue, 11, 8192, 4096);
  event(Kind::kQueue, 11, 65536, 4096);
  event(Kind::kIssue, 20, 0, 12288);
  event(Kind::kComplete, 30, 0, 12288);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].queue_ns, 5);
  EXPECT_EQ(all[0].length_bytes, 12288U);
  EXPECT_EQ(all[0].flags, io_flag::kMerged);
  EXPECT_EQ(all[1].offset_bytes, 65536U);
  EXPECT_EQ(all[1].flags, io_flag::kInFlightAtStop);
}

TEST_F(EventMatching, PiecesOfASplitBioAreRequestsOfTheirOwn) {
  event(Kind::kQueue, 1, 0, 3 << 20);
  event(Kind::kIssue, 2, 0, 1 << 20);
  event(Kind::kIssue, 3, 1 << 20, 1 << 20);
  event(Kind::kIssue, 4, 2 << 20, 1 << 20);
  for (std::uint64_t piece = 0; piece < 3; ++piece) event(Kind::kComplete, 9, piece << 20, 1 << 20);
  const auto all = records();
  ASSERT_EQ(all.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all[i].queue_ns, 1);
    EXPECT_EQ(all[i].issue_ns, static_cast<std::int64_t>(2 + i));
    EXPECT_EQ(all[i].complete_ns, 9);
    EXPECT_NE(all[i].flags & io_flag::kSplit, 0U);
  }
}

TEST_F(EventMatching, PiecesMayBeIssuedBackToFront) {
  event(Kind::kQueue, 1, 0, 8192);
  event(Kind::kIssue, 2, 4096, 4096);
  event(Kind::kIssue, 3, 0, 4096);
  event(Kind::kComplete, 4, 0, 4096);
  event(Kind::kComplete, 5, 4096, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].queue_ns, 1);
  EXPECT_EQ(all[1].queue_ns, 1);
}

TEST_F(EventMatching, TwoReadsOfOnePlaceAreTwoRecordsInOrder) {
  event(Kind::kQueue, 1, 0, 4096, IoOp::kRead, 1);
  event(Kind::kQueue, 2, 0, 4096, IoOp::kRead, 2);
  event(Kind::kIssue, 3, 0, 4096);
  event(Kind::kIssue, 4, 0, 4096);
  event(Kind::kComplete, 5, 0, 4096);
  event(Kind::kComplete, 6, 0, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].stream, 1U);
  EXPECT_EQ(all[0].complete_ns, 5);
  EXPECT_EQ(all[1].stream, 2U);
  EXPECT_EQ(all[1].queue_ns, 2);
}

TEST_F(EventMatching, AReadDoesNotCompleteAWriteOfTheSamePlace) {
  event(Kind::kIssue, 1, 0, 4096, IoOp::kRead);
  event(Kind::kIssue, 2, 0, 4096, IoOp::kWrite);
  event(Kind::kComplete, 3, 0, 4096, IoOp::kWrite);
  event(Kind::kComplete, 4, 0, 4096, IoOp::kRead);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].complete_ns, 4);
  EXPECT_EQ(all[1].complete_ns, 3);
}

TEST_F(EventMatching, ARequestCompletedPieceByPieceEndsWithItsLastPiece) {
  event(Kind::kIssue, 1, 0, 12288);
  event(Kind::kComplete, 2, 0, 4096);
  event(Kind::kComplete, 3, 4096, 8192);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].complete_ns, 3);
  EXPECT_EQ(all[0].offset_bytes, 0U);
  EXPECT_EQ(all[0].length_bytes, 12288U);
}

TEST_F(EventMatching, ARequeuedRequestIsOneRecordWithItsLastIssue) {
  event(Kind::kIssue, 1, 0, 4096);
  event(Kind::kRequeue, 2, 0, 4096);
  event(Kind::kIssue, 5, 0, 4096);
  event(Kind::kComplete, 9, 0, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].issue_ns, 5);
  EXPECT_EQ(all[0].flags, io_flag::kRequeued);
}

TEST_F(EventMatching, ABioBasedDeviceCompletesItsBios) {
  event(Kind::kQueue, 1, 0, 4096);
  event(Kind::kComplete, 3, 0, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].issue_ns, kNoTime);
  EXPECT_EQ(all[0].complete_ns, 3);
  EXPECT_EQ(all[0].flags, io_flag::kBioLayer);
}

TEST_F(EventMatching, ABioOfARequestIsNotCountedTwice) {
  event(Kind::kQueue, 1, 0, 4096);
  event(Kind::kIssue, 2, 0, 4096);
  event(Kind::kComplete, 3, 0, 4096);
  event(Kind::kBioComplete, 4, 0, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].complete_ns, 3);
}

TEST_F(EventMatching, FlushesHaveNoRange) {
  event(Kind::kQueue, 1, 0, 0, IoOp::kFlush);
  event(Kind::kQueue, 2, 0, 4096, IoOp::kRead);
  event(Kind::kIssue, 3, 0, 0, IoOp::kFlush);
  event(Kind::kComplete, 4, 0, 0, IoOp::kFlush);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].op, IoOp::kFlush);
  EXPECT_EQ(all[0].complete_ns, 4);
  EXPECT_EQ(all[1].complete_ns, kNoTime);
}

// As kernel 6.18 traces fsync: the bio, the block layer's own request, then the bio's.
TEST_F(EventMatching, ARequestThatOnlyAskedForAFlushIsNotCountedTwice) {
  event(Kind::kQueue, 1, 0, 0, IoOp::kFlush);
  event(Kind::kIssue, 2, 0, 0, IoOp::kFlush);
  event(Kind::kComplete, 8, 0, 0, IoOp::kFlush);
  event(Kind::kComplete, 9, 0, 0, IoOp::kFlush);
  const auto all = records();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].complete_ns, 8);
  EXPECT_EQ(matcher_.without_start(), 0U);
}

TEST_F(EventMatching, WhatBeganBeforeOrEndsAfterTheRecordingIsFlagged) {
  event(Kind::kComplete, 1, 0, 4096);
  event(Kind::kIssue, 2, 8192, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].flags, io_flag::kInFlightAtStart);
  EXPECT_EQ(all[0].complete_ns, 1);
  EXPECT_EQ(all[1].flags, io_flag::kInFlightAtStop);
  EXPECT_EQ(matcher_.without_start(), 1U);
  EXPECT_EQ(matcher_.without_completion(), 1U);
}

TEST_F(EventMatching, WithoutAnyCompletionNoneIsMissing) {
  event(Kind::kIssue, 2, 8192, 4096);
  EXPECT_EQ(records()[0].flags, 0U);
  EXPECT_EQ(matcher_.without_completion(), 0U);
  EXPECT_EQ(matcher_.time_columns(), ColumnSet{Column::kIssue});
}

TEST_F(EventMatching, RecordsComeOutInOrderOfStart) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    event(Kind::kIssue, static_cast<std::int64_t>(i), i << 12, 4096);
  }
  for (std::uint64_t i = 1000; i-- != 0;) event(Kind::kComplete, 5000, i << 12, 4096);
  const auto all = records();
  ASSERT_EQ(all.size(), 1000U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].issue_ns, static_cast<std::int64_t>(i));
    ASSERT_EQ(all[i].complete_ns, 5000);
  }
}

TEST_F(EventMatching, IosThatNeverCompleteAreGivenUpNotHeldForEver) {
  constexpr std::uint64_t kCount = 3 * EventMatcher::kMostOutstanding;
  std::size_t early = 0;
  event(Kind::kComplete, 0, 0, 4096);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    event(Kind::kIssue, static_cast<std::int64_t>(i), i << 12, 4096);
    for (IoRecord record; matcher_.take(record);) ++early;
  }
  // All but what may be outstanding and what waits to be put in order is out already.
  EXPECT_GT(early, kCount - EventMatcher::kMostOutstanding - StartOrder::kWindow - 2);
  EXPECT_EQ(early + records().size(), kCount + 1);
}

}  // namespace
}  // namespace rigel
