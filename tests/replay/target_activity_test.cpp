#include "replay/target_activity.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

// The two queues of one target, by hand: due at 0, 10, 20; issued at 5, 15, 20; done at 25, 30, 40.
class TargetActivityTest : public testing::Test {
 protected:
  void issue_all() {
    activity_.on_issue(0, 5, 100);
    activity_.on_issue(10, 15, 200);
    activity_.on_issue(20, 20, 300);
  }
  void complete_all() {
    activity_.on_complete(25, 5, IoOp::kRead, 4096, false);
    activity_.on_complete(30, 15, IoOp::kWrite, 512, false);
    activity_.on_complete(40, 20, IoOp::kRead, 0, true);
  }
  TargetActivity activity_;
};

TEST_F(TargetActivityTest, KeepsTheRiemannSumsOfBothQueues) {
  issue_all();
  complete_all();
  EXPECT_EQ(activity_.wait_sum_ns, 10U);
  EXPECT_EQ(activity_.wait_busy_ns, 10U);
  EXPECT_EQ(activity_.run_busy_ns, 35U);
  EXPECT_EQ(activity_.run_sum_ns, 20U + 15U + 20U);  // the sum of the three service times
  EXPECT_EQ(activity_.read_service_ns, 20U + 20U);
  EXPECT_EQ(activity_.write_service_ns, 15U);
  EXPECT_EQ(activity_.recorded_service_ns, 600U);
  EXPECT_EQ(activity_.reads, 2U);
  EXPECT_EQ(activity_.writes, 1U);
  EXPECT_EQ(activity_.read_bytes, 4096U);
  EXPECT_EQ(activity_.errors, 1U);
}

TEST_F(TargetActivityTest, WhatIsInFlightCountsUpToTheMomentOfLooking) {
  issue_all();
  const ActivityCounts stalled = activity_.counts(1020);
  EXPECT_EQ(stalled.in_flight, 3U);
  EXPECT_EQ(stalled.run_sum_ns, 10U + 2 * 5U + 3 * 1000U);
  EXPECT_EQ(stalled.run_busy_ns, 1015U);
  const ActivityCounts gained = activity_.counts(1120).since(stalled);
  EXPECT_EQ(gained.run_sum_ns, 300U);
  EXPECT_EQ(gained.run_busy_ns, 100U);
  EXPECT_EQ(gained.reads, 0U);
}

TEST_F(TargetActivityTest, TheWorstSlipIsThatSinceItWasLastAskedFor) {
  issue_all();
  EXPECT_EQ(activity_.take_worst_slip(), 5U);
  EXPECT_EQ(activity_.take_worst_slip(), 0U);
  activity_.on_issue(100, 103, 0);
  EXPECT_EQ(activity_.take_worst_slip(), 3U);
}

TEST_F(TargetActivityTest, SilenceIsTheLongestTimeWithoutAnAnswerToWhatIsInFlight) {
  issue_all();
  complete_all();
  EXPECT_EQ(activity_.longest_silence_ns, 20U);  // from the first issue to the first answer
  activity_.on_issue(5000, 5000, 0);             // nothing was in flight before: no silence
  activity_.on_complete(5010, 5000, IoOp::kRead, 4096, false);
  EXPECT_EQ(activity_.longest_silence_ns, 20U);
  activity_.on_issue(6000, 6000, 0);
  activity_.on_end(9000);  // never answered
  EXPECT_EQ(activity_.longest_silence_ns, 3000U);
}

}  // namespace
}  // namespace rigel
