#include "model/cache/random_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/cache/cache_simulator.hpp"
#include "tests/model/cache/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel::test {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr std::uint64_t kPage = 8192;

TEST(RandomPattern, UniformIsTheShareOfTheSpanThatFits) {
  EXPECT_NEAR(RandomPattern{512 * kGiB / kPage}.hit_ratio(96 * kGiB / kPage), 0.1875, 1e-9);
  EXPECT_NEAR(RandomPattern{3072 * kGiB / kPage}.hit_ratio(96 * kGiB / kPage), 0.03125, 1e-9);
  EXPECT_EQ(RandomPattern{kGiB / kPage}.hit_ratio(96 * kGiB / kPage), 1);
}

// Collecting C of M coupons takes M (1/M + 1/(M-1) + … + 1/(M-C+1)) draws on average, which is
// M ln(M / (M - C)) for large numbers.
TEST(RandomPattern, UniformFillsLikeCoupons) {
  const double span = 512.0 * kGiB / kPage;
  const double cache = 96.0 * kGiB / kPage;
  const RandomPattern pattern{512 * kGiB / kPage};
  const double requests = pattern.requests_to_fill(96 * kGiB / kPage);
  EXPECT_NEAR(requests / (span * std::log(span / (span - cache))), 1, 1e-9);
  EXPECT_NEAR(requests / 4500 / 60, 51.6, 0.05);  // minutes at 4,500 IOPS
  EXPECT_TRUE(std::isinf(pattern.requests_to_fill(512 * kGiB / kPage)));
  EXPECT_NEAR(pattern.hit_ratio_after(requests / 2, 96 * kGiB / kPage),
              1 - std::exp(-requests / 2 / span), 1e-9);
  EXPECT_NEAR(pattern.requests_until(0.1), -span * std::log(0.9), 1e-3 * span);
}

// 10 M draws by Zipf's law over 1 M pages: measured by independent programs.
TEST(RandomPattern, ZipfAgreesWithTheReferenceRun) {
  const RandomPattern pattern{1'000'000, 1.0};
  const std::vector<std::pair<std::uint64_t, double>> measured{{1000, 0.4031},   {5000, 0.5294},
                                                               {15000, 0.6179},  {32768, 0.6825},
                                                               {100000, 0.7770}, {400000, 0.8924}};
  for (const auto& [pages, ratio] : measured) {
    EXPECT_NEAR(pattern.hit_ratio_of_first(1e7, pages), ratio, 0.001) << pages;
  }
}

// Simulated LRU, cache by cache, as it fills and when it is full.
class SimulatedPattern : public testing::TestWithParam<double> {};

TEST_P(SimulatedPattern, AgreesWithTheClosedForm) {
  constexpr std::uint64_t kSpan = 20000;
  constexpr std::uint64_t kCache = 3000;
  constexpr int kDraws = 400000;
  const double alpha = GetParam();
  std::vector<double> weights;
  for (std::uint64_t rank = 1; rank <= kSpan; ++rank) {
    weights.push_back(std::pow(static_cast<double>(rank), -alpha));
  }
  std::discrete_distribution<std::uint64_t> draw{weights.begin(), weights.end()};
  std::mt19937_64 random{11};
  std::vector<std::uint64_t> pages;
  for (int i = 0; i < kDraws; ++i) pages.push_back(draw(random));

  const RandomPattern pattern{kSpan, alpha};
  const double filling = pattern.requests_to_fill(kCache);
  const auto half = static_cast<std::size_t>(filling / 2);
  const auto simulated = [&](std::size_t draws, std::uint64_t warm_up) {
    const std::unique_ptr<CacheSimulator> lru = find_policy("lru").make(kCache);
    const std::vector<std::uint64_t> part(pages.begin(),
                                          pages.begin() + static_cast<std::ptrdiff_t>(draws));
    for_each_block(reads_of_pages(part), {.page_bytes = 4096, .warm_up_requests = warm_up},
                   [&](const PageBlock& block) { lru->add(block); });
    return hit_ratios(lru->tally().hits(), lru->tally().total()).page;
  };
  // The standard deviation of a share of n draws is below 0.5 / sqrt(n).
  const double slack = 2 / std::sqrt(static_cast<double>(half));
  EXPECT_NEAR(simulated(half, 0), pattern.hit_ratio_of_first(filling / 2, kCache), slack);
  EXPECT_NEAR(simulated(kDraws, kDraws / 4), pattern.hit_ratio(kCache), 0.004);
  EXPECT_LT(pattern.hit_ratio_after(filling / 2, kCache), pattern.hit_ratio(kCache));
}

INSTANTIATE_TEST_SUITE_P(Alpha, SimulatedPattern, testing::Values(0.0, 0.6, 1.0, 1.3));

TEST(RandomPattern, RefusesWhatIsNoPattern) {
  EXPECT_THROW((RandomPattern{0}), UsageError);
  EXPECT_THROW((RandomPattern{10, -1}), UsageError);
  EXPECT_THROW((RandomPattern{10, std::nan("")}), UsageError);
}

}  // namespace
}  // namespace rigel::test
