#include "model/array/load_growth.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

LoadPoint point(double outstanding, double iops, double duration_s = 0) {
  LoadPoint point;
  point.outstanding = outstanding;
  point.iops = iops;
  point.duration_ns = duration_s * 1e9;
  return point;
}

TEST(LoadGrowth, ThroughputMayGrowWithTheLoadButNotFaster) {
  EXPECT_FALSE(growth_between(point(1, 100), point(2, 200)).is_faster_than_load(0));
  EXPECT_TRUE(growth_between(point(1, 100), point(2, 201)).is_faster_than_load(0));
  EXPECT_FALSE(growth_between(point(1, 100), point(2, 210)).is_faster_than_load(0.1));
  // A load that does not grow is no case of the rule.
  EXPECT_FALSE(growth_between(point(2, 100), point(2, 300)).is_faster_than_load(0));
}

TEST(LoadGrowth, FourStandardErrorsOfTheIosCountedAreChance) {
  // 100 and 290 I/Os: 4 sqrt(1 / 100 + 1 / 290) = 0.464.
  EXPECT_FALSE(growth_between(point(1, 100, 1), point(2, 290, 1)).is_faster_than_load(0));
  EXPECT_TRUE(growth_between(point(1, 100, 1), point(2, 301, 1)).is_faster_than_load(0));
  EXPECT_TRUE(growth_between(point(1, 100, 3600), point(2, 205, 3600)).is_faster_than_load(0));
}

TEST(LoadGrowth, RoundedFiguresAreGivenTheirRounding) {
  LoadPoint before = point(1, 10);
  before.iops_error = 0.5;
  LoadPoint after = point(2, 21);
  after.iops_error = 0.5;
  EXPECT_FALSE(growth_between(before, after).is_faster_than_load(0));
  after.iops = 22;
  EXPECT_TRUE(growth_between(before, after).is_faster_than_load(0));
}

}  // namespace
}  // namespace rigel
