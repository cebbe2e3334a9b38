#include "traces/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace rigel {
namespace {

TEST(LatencyHistogram, QuantilesAreWithinHalfABucketOfTheSortedSample) {
  std::mt19937_64 random{42};
  std::lognormal_distribution<double> latency{12, 2};
  LatencyHistogram histogram;
  std::vector<std::int64_t> sample(100'003);
  for (auto& value : sample) {
    value = static_cast<std::int64_t>(latency(random));
    histogram.add(value);
  }
  std::sort(sample.begin(), sample.end());
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sample.size())));
    const auto exact = static_cast<double>(sample[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.quantile_ns(q)), exact, 0.004 * exact + 1) << q;
  }
  EXPECT_EQ(histogram.quantile_ns(1), sample.back());
  EXPECT_EQ(histogram.min_ns(), sample.front());
  EXPECT_EQ(histogram.count(), sample.size());
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (std::int64_t value = 0; value < 256; ++value) histogram.add(value);
  for (int value = 0; value < 256; ++value) {
    EXPECT_EQ(histogram.count_at_or_below(value), static_cast<std::uint64_t>(value) + 1);
  }
  EXPECT_DOUBLE_EQ(histogram.mean_ns(), 127.5);
}

TEST(LatencyHistogram, MergedHalvesEqualTheWhole) {
  LatencyHistogram whole;
  LatencyHistogram left;
  LatencyHistogram right;
  for (std::int64_t value = 1; value < 1'000'000'000; value = value * 3 + 1) {
    whole.add(value, 7);
    (value % 2 == 0 ? left : right).add(value, 7);
  }
  left.merge(right);
  left.merge(LatencyHistogram{});
  EXPECT_EQ(left.count(), whole.count());
  EXPECT_EQ(left.min_ns(), whole.min_ns());
  EXPECT_EQ(left.max_ns(), whole.max_ns());
  EXPECT_DOUBLE_EQ(left.stddev_ns(), whole.stddev_ns());
  for (const double q : {0.1, 0.5, 0.9}) EXPECT_EQ(left.quantile_ns(q), whole.quantile_ns(q));
}

TEST(LatencyHistogram, ExtremesStayInside) {
  LatencyHistogram histogram;
  histogram.add(-5);
  histogram.add(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.min_ns(), 0);
  EXPECT_EQ(histogram.max_ns(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(LatencyHistogram{}.quantile_ns(0.5), 0);
}

}  // namespace
}  // namespace rigel
