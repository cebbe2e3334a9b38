#include "traces/arrival_statistics.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rigel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(ArrivalStatistics, APoissonProcessHasIndexOne) {
  std::mt19937_64 random{7};
  std::exponential_distribution<double> gap{200};
  WindowCounts seconds{kSecond};
  InterarrivalTimes interarrivals;
  double time = 0;
  for (int i = 0; i < 400'000; ++i) {
    time += gap(random);
    const auto now = static_cast<std::int64_t>(time * 1e9);
    seconds.add(now);
    interarrivals.add(now);
  }
  // 2,000 windows: the index's standard error is sqrt(2/1999) = 0.032.
  ASSERT_TRUE(seconds.dispersion());
  EXPECT_NEAR(*seconds.dispersion(), 1, 4 * 0.032);
  EXPECT_NEAR(interarrivals.squared_variation(), 1, 0.02);
  EXPECT_NEAR(interarrivals.mean_ns(), 5e6, 0.05e6);
}

TEST(ArrivalStatistics, AClockHasIndexZero) {
  WindowCounts seconds{kSecond};
  InterarrivalTimes interarrivals;
  for (std::int64_t i = 0; i < 20'000; ++i) {
    seconds.add(i * 1'000'000);
    interarrivals.add(i * 1'000'000);
  }
  ASSERT_TRUE(seconds.dispersion());
  EXPECT_NEAR(*seconds.dispersion(), 0, 1e-9);
  EXPECT_NEAR(interarrivals.squared_variation(), 0, 1e-9);
  EXPECT_EQ(seconds.windows(), 19U);  // the twentieth is not over
  EXPECT_EQ(seconds.peak(), 1000U);
}

// Two states in turn, 30 a second and none: mean 15, variance 225 n/(n-1) over whole seconds.
TEST(ArrivalStatistics, EmptySecondsCount) {
  WindowCounts seconds{kSecond};
  for (std::int64_t second = 0; second < 200; second += 2) {
    for (std::int64_t i = 0; i < 30; ++i) seconds.add(second * kSecond + i);
  }
  seconds.add(200 * kSecond);
  EXPECT_EQ(seconds.windows(), 200U);
  ASSERT_TRUE(seconds.dispersion());
  EXPECT_NEAR(*seconds.dispersion(), 225.0 * 200 / 199 / 15, 1e-9);
}

TEST(ArrivalStatistics, ThePeakMayBeTheLastSecondAndTellsWhenItBegan) {
  WindowCounts seconds{kSecond};
  seconds.add(100);
  EXPECT_EQ(seconds.peak(), 1U);
  seconds.add(3 * kSecond + 100);
  seconds.add(3 * kSecond + 200);
  EXPECT_EQ(seconds.peak(), 2U);
  EXPECT_EQ(seconds.peak_start_ns(), 3 * kSecond + 100);
  seconds.add(9 * kSecond);
  EXPECT_EQ(seconds.peak(), 2U);
  EXPECT_EQ(seconds.peak_start_ns(), 3 * kSecond + 100);
}

TEST(ArrivalStatistics, TimesThatGoBackOrFarAwayDoNoHarm) {
  WindowCounts seconds{kSecond};
  InterarrivalTimes interarrivals;
  for (const std::int64_t time : {std::numeric_limits<std::int64_t>::min() + 1, std::int64_t{0},
                                  std::int64_t{-5}, std::numeric_limits<std::int64_t>::max()}) {
    seconds.add(time);
    interarrivals.add(time);
  }
  EXPECT_EQ(seconds.peak(), 2U);
  EXPECT_EQ(interarrivals.count(), 3U);
  EXPECT_GT(interarrivals.mean_ns(), 0);
}

}  // namespace
}  // namespace rigel
