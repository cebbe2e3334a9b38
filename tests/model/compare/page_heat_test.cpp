#include "model/compare/page_heat.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rigel {
namespace {

double at(const LorenzCurve& curve, double top) {
  for (std::size_t i = 0; i < kTops.size(); ++i) {
    if (kTops[i] == top) return curve[i];
  }
  throw std::out_of_range{"no such point"};
}

TEST(LorenzCurve, OfPagesAccessedAlikeIsTheDiagonal) {
  const LorenzCurve curve = lorenz_curve({{7, 1000}});
  for (std::size_t i = 0; i < kTops.size(); ++i) EXPECT_NEAR(curve[i], kTops[i], 1e-12);
}

TEST(LorenzCurve, GivesTheHottestTheirShare) {
  // 10 pages of 90 accesses, 90 pages of one: the hottest tenth has 900 of 990.
  const LorenzCurve curve = lorenz_curve({{90, 10}, {1, 90}});
  EXPECT_NEAR(at(curve, 0.1), 900.0 / 990, 1e-12);
  EXPECT_NEAR(at(curve, 0.05), 450.0 / 990, 1e-12);
  EXPECT_NEAR(at(curve, 0.5), 940.0 / 990, 1e-12);
  EXPECT_EQ(at(lorenz_curve({}), 0.5), 0);
}

TEST(PageHeat, GivesStackDistances) {
  PageHeat heat{100};
  for (const std::uint64_t page : {1U, 2U, 3U}) {
    EXPECT_EQ(heat.access(page).seen, PageHeat::Seen::kFirst);
  }
  EXPECT_EQ(heat.access(1).distance, 2U);  // 2 and 3 since
  EXPECT_EQ(heat.access(1).distance, 0U);
  EXPECT_EQ(heat.access(3).distance, 1U);
  EXPECT_EQ(heat.snapshot().distinct_pages, 3);
}

// 64 times more pages than are kept: the number of pages, the accesses the sample stands for and
// the mean distance are those of all, within what sampling allows.
TEST(PageHeat, OfASampleStandsForAllPages) {
  constexpr std::uint64_t kPages = 1 << 18;
  constexpr std::uint64_t kAccesses = 4 * kPages;
  PageHeat heat{1 << 12};
  std::mt19937_64 random{9};
  for (std::uint64_t i = 0; i < kPages; ++i) (void)heat.access(i);
  double again = 0;
  double distances = 0;
  for (std::uint64_t i = 0; i < kAccesses; ++i) {
    const PageHeat::Access access = heat.access(random() % kPages);
    if (access.seen != PageHeat::Seen::kAgain) continue;
    again += access.weight;
    distances += access.weight * static_cast<double>(access.distance);
  }
  EXPECT_LE(heat.sampling_rate(), 1.0 / 64);
  EXPECT_NEAR(heat.snapshot().distinct_pages / kPages, 1, 0.06);
  EXPECT_NEAR(again / kAccesses, 1, 0.06);
  // Uniform accesses: the stack distance is uniform over all pages once they are all there.
  EXPECT_NEAR(distances / again / (kPages / 2.0), 1, 0.06);
}

}  // namespace
}  // namespace rigel
