#include "model/compare/hit_miss_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace rigel {
namespace {

constexpr std::size_t kBlocks = 64;

// Reads of which so many hit: hits lognormal with median 300 us, misses gamma with mean 8 ms;
// shape 1 is exponential.
BlockedSamples make_latencies(double hit_ratio, double miss_shape, std::uint64_t seed,
                              std::size_t reads = 6400) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> unit;
  std::lognormal_distribution<double> hit{std::log(300e3), 0.25};
  std::gamma_distribution<double> miss{miss_shape, 8e6 / miss_shape};
  BlockedSamples samples;
  for (std::size_t i = 0; i < reads; ++i) {
    const double ns = unit(random) < hit_ratio ? hit(random) : miss(random);
    samples.add(i * kBlocks / reads, static_cast<std::uint64_t>(ns));
  }
  return samples;
}

constexpr std::array kRatios{0.05, 0.19, 0.5, 0.81, 0.95};

// The true ratio is within the 95 % interval for at least 38 of 40 seeds, whatever the ratio.
void expect_coverage(double miss_shape) {
  int covered = 0;
  double widest = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const double truth = kRatios[seed % kRatios.size()];
    const HitMissFit fit = fit_hits_and_misses(make_latencies(truth, miss_shape, 1000 + seed));
    ASSERT_TRUE(fit.two_populations) << "seed " << seed << " ratio " << truth;
    covered += fit.low <= truth && truth <= fit.high ? 1 : 0;
    widest = std::max(widest, fit.high - fit.low);
    EXPECT_NEAR(fit.hit_ratio, truth, 0.03) << "seed " << seed;
  }
  EXPECT_GE(covered, 38);
  EXPECT_LT(widest, 0.06);
}

TEST(FitHitsAndMisses, RecoversTheHitRatioWithExponentialMisses) {
  expect_coverage(1);
}

TEST(FitHitsAndMisses, RecoversTheHitRatioWithGammaMisses) {
  expect_coverage(4);
}

TEST(FitHitsAndMisses, FindsWhatHitsAndMissesTake) {
  const HitMissFit fit = fit_hits_and_misses(make_latencies(0.5, 1, 7, 64'000));
  EXPECT_NEAR(fit.hit_ns, 300e3, 6e3);
  EXPECT_NEAR(fit.miss_ns, 8e6, 0.2e6);
  EXPECT_EQ(fit.model.miss_shape, MissShape::kGamma);
  EXPECT_NEAR(fit.model.miss.first, 1, 0.05);
}

TEST(FitHitsAndMisses, SeesOnePopulationWhereThereIsOne) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(0, 1, seed)).two_populations);
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(0, 4, seed)).two_populations);
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(1, 1, seed)).two_populations);
    // Neither lognormal nor gamma.
    std::mt19937_64 random{seed};
    BlockedSamples uniform;
    for (std::size_t i = 0; i < 6400; ++i) {
      uniform.add(i / 100, 4'000'000 + random() % 8'000'000);
    }
    EXPECT_FALSE(fit_hits_and_misses(uniform).two_populations) << seed;
  }
}

TEST(FitHitsAndMisses, OfTooFewReadsSaysNothing) {
  EXPECT_FALSE(fit_hits_and_misses(BlockedSamples{}).two_populations);
  BlockedSamples few;
  for (std::uint64_t i = 0; i < 99; ++i) few.add(0, i % 2 == 0 ? 300'000 : 8'000'000);
  EXPECT_FALSE(fit_hits_and_misses(few).two_populations);
  BlockedSamples one_value;
  for (std::uint64_t i = 0; i < 1000; ++i) one_value.add(i / 100, 300'000);
  EXPECT_FALSE(fit_hits_and_misses(one_value).two_populations);
}

// A cache that warms up: 20 % of the first half hit, 80 % of the second.
TEST(FitHitsAndMisses, FollowsTheHitRatioOverTime) {
  BlockedSamples samples;
  std::mt19937_64 random{5};
  std::uniform_real_distribution<double> unit;
  std::lognormal_distribution<double> hit{std::log(300e3), 0.25};
  std::gamma_distribution<double> miss{2, 4e6};
  for (std::size_t i = 0; i < 64'000; ++i) {
    const double ratio = i < 32'000 ? 0.2 : 0.8;
    samples.add(i / 1000,
                static_cast<std::uint64_t>(unit(random) < ratio ? hit(random) : miss(random)));
  }
  const HitMissFit fit = fit_hits_and_misses(samples);
  ASSERT_EQ(fit.by_block.size(), kBlocks);
  EXPECT_NEAR(*fit.by_block[3], 0.2, 0.05);
  EXPECT_NEAR(*fit.by_block[60], 0.8, 0.05);
  // Half of the blocks at the one and half at the other: such a trace could have had other shares.
  EXPECT_GT(fit.high - fit.low, 0.1);
}

TEST(HitsBelow, CountsWhatIsBelowTheBorder) {
  const BlockedSamples samples = make_latencies(0.5, 4, 3, 64'000);
  // Gamma of shape 4 and mean 8 ms has 0.0018 below 1 ms; of the hits all are.
  const HitMissFit fit = hits_below(samples, 1'000'000);
  EXPECT_NEAR(fit.hit_ratio, 0.5 + 0.5 * 0.0018, 0.006);
  EXPECT_LE(fit.low, 0.5 + 0.5 * 0.0018);
  EXPECT_GE(fit.high, 0.5 + 0.5 * 0.0018);
  EXPECT_LT(fit.high - fit.low, 0.02);
  EXPECT_EQ(hits_below(samples, 1).hit_ratio, 0);
  EXPECT_EQ(hits_below(samples, 1'000'000'000'000).hit_ratio, 1);
  EXPECT_FALSE(hits_below(BlockedSamples{}, 1000).two_populations);
}

}  // namespace
}  // namespace rigel
