#include "replay/target_activity.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

// The two queues of one target, by hand: due at 0, 10, 20; issued at 5, 15, 20; done at 25, 30, 40.
TEST(TargetActivity, KeepsTheRiemannSumsOfBothQueues) {
  TargetActivity activity;
  activity.on_issue(0, 5, 100);
  activity.on_issue(10, 15, 200);
  activity.on_issue(20, 20, 300);
  activity.on_complete(25, IoOp::kRead, 4096, false);
  activity.on_complete(30, IoOp::kWrite, 512, false);
  activity.on_complete(40, IoOp::kRead, 0, true);
  EXPECT_EQ(activity.wait_sum_ns, 10U);
  EXPECT_EQ(activity.wait_busy_ns, 10U);
  EXPECT_EQ(activity.run_busy_ns, 35U);
  EXPECT_EQ(activity.run_sum_ns, 20U + 15U + 20U);  // the sum of the three service times
  EXPECT_EQ(activity.recorded_service_ns, 600U);
  EXPECT_EQ(activity.reads, 2U);
  EXPECT_EQ(activity.writes, 1U);
  EXPECT_EQ(activity.read_bytes, 4096U);
  EXPECT_EQ(activity.errors, 1U);
}

}  // namespace
}  // namespace rigel
