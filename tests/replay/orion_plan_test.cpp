#include "replay/orion_plan.hpp"

#include <gtest/gtest.h>

#include "traces/error.hpp"

namespace rigel {
namespace {

OrionParameters parameters(const char* run, OrionMatrix matrix, std::uint32_t disks) {
  OrionParameters result;
  result.run = run;
  result.matrix = matrix;
  result.num_disks = disks;
  return result;
}
OrionParameters simple(std::uint32_t disks) {
  return parameters("simple", OrionMatrix::kBasic, disks);
}
OrionParameters normal(std::uint32_t disks) {
  return parameters("normal", OrionMatrix::kDetailed, disks);
}
OrionParameters oltp(std::uint32_t disks) {
  OrionParameters result = parameters("oltp", OrionMatrix::kRow, disks);
  result.num_large = 0;
  return result;
}

// The counts that public runs of ORION 10.2 to 19c printed.
TEST(OrionPlan, HasThePointsThatOrionPrinted) {
  EXPECT_EQ(plan_orion(simple(1)).points.size(), 8U);
  EXPECT_EQ(plan_orion(simple(4)).points.size(), 29U);
  EXPECT_EQ(plan_orion(simple(8)).points.size(), 38U);
  EXPECT_EQ(plan_orion(oltp(1)).points.size(), 21U);
}

TEST(OrionPlan, TakesTheMinutesThatOrionPrinted) {
  const auto minutes = [](const OrionParameters& of) {
    return estimated_minutes(of, plan_orion(of));
  };
  EXPECT_EQ(minutes(simple(1)), 9U);
  EXPECT_EQ(minutes(simple(2)), 16U);
  EXPECT_EQ(minutes(simple(6)), 44U);
  EXPECT_EQ(minutes(normal(1)), 19U);
  EXPECT_EQ(minutes(oltp(3)), 24U);
}

TEST(OrionPlan, TheLadderOf32DisksIsThatOfThePublishedRun) {
  std::vector<std::uint32_t> published{1, 2, 3, 4, 5, 6, 7, 8};
  for (std::uint32_t level = 16; level <= 160; level += 8) published.push_back(level);
  EXPECT_EQ(orion_levels(160), published);
  EXPECT_TRUE(orion_levels(0).empty());
}

TEST(OrionPlan, APointIsThatPointAndNeedsBothNumbers) {
  OrionParameters point = parameters("advanced", OrionMatrix::kPoint, 1);
  point.num_small = 0;
  EXPECT_THROW(static_cast<void>(plan_orion(point)), UsageError);
  point.num_large = 4;
  EXPECT_EQ(plan_orion(point).points, (std::vector<OrionPoint>{{0, 4}}));
}

TEST(OrionPlan, AColumnVariesTheLargeLoadBesideAFixedSmallOne) {
  OrionParameters column = parameters("advanced", OrionMatrix::kCol, 1);
  column.num_small = 3;
  EXPECT_EQ(plan_orion(column).points, (std::vector<OrionPoint>{{3, 0}, {3, 1}, {3, 2}}));
}

TEST(OrionPlan, CachesAreWarmedBeforeSequentialLargeLoadsUnlessToldNotTo) {
  OrionParameters dss = simple(1);
  EXPECT_FALSE(warms_cache_before(dss, {0, 1}));
  dss.sequential = true;
  EXPECT_TRUE(warms_cache_before(dss, {0, 1}));
  EXPECT_FALSE(warms_cache_before(dss, {1, 0}));
  EXPECT_EQ(estimated_minutes(dss, plan_orion(dss)), 9U + 2 * 2U);
  dss.cache_bytes = 0;
  EXPECT_FALSE(warms_cache_before(dss, {0, 1}));
}

}  // namespace
}  // namespace rigel
