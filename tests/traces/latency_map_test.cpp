#include "traces/latency_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace rigel {
namespace {

constexpr std::int64_t kMs = 1'000'000;

std::uint64_t sum(const std::vector<std::uint64_t>& row) {
  return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
}

TEST(LatencyMap, EachLatencyIsInTheRowThatHoldsIt) {
  for (const std::int64_t latency : {1100, 3000, 300'000, 8'000'000, 41'290'000}) {
    LatencyMap map;
    map.add(0, latency);
    const LatencyMap::Picture picture = map.picture();
    ASSERT_EQ(picture.rows.size(), 1U);
    ASSERT_EQ(picture.bounds_ns.size(), 2U);
    EXPECT_LE(picture.bounds_ns[0], static_cast<std::uint64_t>(latency));
    EXPECT_GT(picture.bounds_ns[1], static_cast<std::uint64_t>(latency));
    // Four rows to a power of two: none is wider than a quarter of where it begins.
    EXPECT_LE(4 * (picture.bounds_ns[1] - picture.bounds_ns[0]), picture.bounds_ns[0]);
  }
}

TEST(LatencyMap, ASlowSecondHalfIsSeenInTheSecondHalf) {
  LatencyMap map;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    map.add(i * 10 * kMs, i < 5000 ? kMs : 32 * kMs);
  }
  const LatencyMap::Picture picture = map.picture();
  ASSERT_GT(picture.rows.size(), 2U);
  const std::vector<std::uint64_t>& fast = picture.rows.front();
  const std::vector<std::uint64_t>& slow = picture.rows.back();
  EXPECT_EQ(sum(fast), 5000U);
  EXPECT_EQ(sum(slow), 5000U);
  const std::uint64_t border = 50'000 * kMs / picture.column_ns;
  for (std::uint64_t column = 0; column < fast.size(); ++column) {
    if (column < border) {
      EXPECT_EQ(slow[column], 0U);
    }
    if (column > border) {
      EXPECT_EQ(fast[column], 0U);
    }
  }
}

TEST(LatencyMap, AbsurdValuesAreCountedInTheOuterRows) {
  LatencyMap map;
  map.add(-1, -1);
  map.add(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max());
  const LatencyMap::Picture picture = map.picture();
  ASSERT_EQ(picture.rows.size(), LatencyMap::kRows);
  EXPECT_EQ(sum(picture.rows.front()), 1U);
  EXPECT_EQ(sum(picture.rows.back()), 1U);
  EXPECT_LE(picture.rows.front().size(), LatencyMap::kColumns);
}

TEST(LatencyMap, OfNothingHasNoRows) {
  EXPECT_TRUE(LatencyMap{}.picture().rows.empty());
}

}  // namespace
}  // namespace rigel
