#include "model/compare/distribution_distance.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rigel {
namespace {

std::vector<double> grid(double from, double to, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(from +
                     (to - from) * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
  }
  return values;
}

TEST(KsDistance, IsTheLargestGapOfTheTwoDistributions) {
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{3.0, 4.0, 5.0, 6.0}),
                   0.5);
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{1.0, 2.0}, std::vector{5.0, 6.0, 7.0}), 1);
  EXPECT_DOUBLE_EQ(ks_distance(std::vector{2.0, 1.0, 1.0}, std::vector{1.0, 1.0, 2.0}), 0);
  // Ties across the samples: F = 2/3 and G = 1/3 at 1.
  EXPECT_NEAR(ks_distance(std::vector{1.0, 1.0, 2.0}, std::vector{1.0, 2.0, 2.0}), 1.0 / 3, 1e-12);
}

// N. Smirnov, "Table for estimating the goodness of fit of empirical distributions" (1948).
TEST(KolmogorovSurvival, HasTheTabulatedQuantiles) {
  EXPECT_NEAR(kolmogorov_survival(1.2238), 0.10, 5e-5);
  EXPECT_NEAR(kolmogorov_survival(1.3581), 0.05, 2e-5);
  EXPECT_NEAR(kolmogorov_survival(1.6276), 0.01, 2e-5);
  EXPECT_NEAR(kolmogorov_survival(1.9495), 0.001, 2e-6);
  EXPECT_NEAR(kolmogorov_survival(0.5), 0.963945, 1e-6);
  EXPECT_DOUBLE_EQ(kolmogorov_survival(0), 1);
  EXPECT_LT(kolmogorov_survival(5), 1e-20);
}

// Exact chance of D >= 6/20 for two samples of 20, by counting lattice paths: 0.3356 (M. Hollander,
// D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods", gives 0.335); Stephens' correction
// is for continuous critical values and is somewhat below.
TEST(KsSignificance, FollowsStephensCorrection) {
  // l = (sqrt(10) + 0.12 + 0.11 / sqrt(10)) 0.3 = 0.995119; Q sums to 0.275269.
  EXPECT_NEAR(ks_significance(0.3, 20, 20), 0.275269, 1e-5);
  EXPECT_NEAR(ks_significance(0.043, 2000, 2000), 0.048132, 1e-5);  // 1.36 sqrt(2 / n) is 5 %
}

TEST(WassersteinDistance, OfAShiftedDistributionIsTheShift) {
  std::mt19937_64 random{3};
  std::vector<double> values(1000);
  std::vector<double> shifted(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::exponential_distribution<double>{0.01}(random);
    shifted[values.size() - 1 - i] = values[i] + 12.5;
  }
  EXPECT_NEAR(wasserstein_distance(values, shifted), 12.5, 1e-9);
}

TEST(WassersteinDistance, OfScaledUniformDistributionsIsTheDifferenceOfTheirMeans) {
  EXPECT_NEAR(wasserstein_distance(grid(0, 1, 1000), grid(0, 2, 500)), 0.5, 1e-3);
  EXPECT_NEAR(wasserstein_distance(grid(0, 1, 10), grid(0, 1, 10)), 0, 1e-15);
}

// 64 blocks of observations made by `make(block)`.
template <typename Make>
BlockedSamples blocks_of(std::size_t per_block, Make make) {
  BlockedSamples samples;
  for (std::size_t block = 0; block < 64; ++block) {
    for (std::size_t i = 0; i < per_block; ++i) samples.add(block, make(block));
  }
  return samples;
}

TEST(DistanceBetween, IsNothingForTheSameSamples) {
  std::mt19937_64 random{4};
  const BlockedSamples samples = blocks_of(100, [&](std::size_t) { return random() % 1000; });
  const DistributionDistance distance = distance_between(samples, samples, {});
  EXPECT_EQ(distance.shape.value, 0);
  EXPECT_EQ(distance.shape.low, 0);
  EXPECT_EQ(distance.shape.p, 1);
  EXPECT_EQ(distance.wasserstein.value, 0);
  EXPECT_EQ(distance.wasserstein.p, 1);
  EXPECT_NEAR(distance.p_if_independent, 1, 1e-12);
}

TEST(DistanceBetween, FindsAShiftInTheUnitOfTheValues) {
  std::mt19937_64 random{5};
  const auto low = [&](std::size_t) { return 64 * (random() % 16); };
  const BlockedSamples a = blocks_of(200, low);
  const BlockedSamples b = blocks_of(200, [&](std::size_t i) { return low(i) + 640; });
  const DistributionDistance distance = distance_between(a, b, {});
  EXPECT_NEAR(distance.wasserstein.value, 640, 10);
  EXPECT_LE(distance.wasserstein.low, 640);
  EXPECT_GE(distance.wasserstein.high, 640);
  EXPECT_NEAR(distance.shape.value, 10.0 / 16, 0.02);
  EXPECT_LT(distance.shape.p, 0.001);
}

TEST(DistanceBetween, IsTotalVariationForCategories) {
  const BlockedSamples a =
      blocks_of(10, [i = 0](std::size_t) mutable { return i++ % 10 < 7 ? 0U : 1U; });
  const BlockedSamples b =
      blocks_of(10, [i = 0](std::size_t) mutable { return i++ % 10 < 4 ? 0U : 5U; });
  const DistributionDistance distance = distance_between(a, b, {.scale = Scale::kCategories});
  EXPECT_NEAR(distance.shape.value, 0.6, 1e-12);  // (0.3 + 0.3 + 0.6) / 2
}

// Below 5 % of independent samples of one distribution reach p <= 0.05; of observations that depend
// on each other within a stretch no more do, where the test for independent ones finds nearly all
// of them different.
TEST(DistanceBetween, TakesDependentObservationsForWhatTheyAre) {
  std::mt19937_64 random{6};
  int by_blocks = 0;
  int dependent_by_blocks = 0;
  int dependent_as_independent = 0;
  constexpr int kTrials = 100;
  const DistanceOptions cheap{.relevant_shape = 1, .relevant_wasserstein = 1e9};
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto independent = [&](std::size_t) { return random() % 128; };
    const auto x = blocks_of(20, independent);
    const auto y = blocks_of(20, independent);
    by_blocks += distance_between(x, y, cheap).shape.p <= 0.05 ? 1 : 0;
    // Every block is at a level of its own, as a device that is fast now and slow then.
    const auto bursts = [&] {
      return blocks_of(
          20, [&, level = std::uint64_t{0}, last = std::size_t{99}](std::size_t block) mutable {
            if (block != last) level = random() % 96;
            last = block;
            return level + random() % 32;
          });
    };
    const auto v = bursts();
    const auto w = bursts();
    const DistributionDistance distance = distance_between(v, w, cheap);
    dependent_by_blocks += distance.shape.p <= 0.05 ? 1 : 0;
    dependent_as_independent += distance.p_if_independent <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(by_blocks, kTrials / 10);
  EXPECT_LE(dependent_by_blocks, kTrials / 10);
  EXPECT_GE(dependent_as_independent, kTrials / 2);
}

TEST(DistanceBetween, TellsNothingOfTooFewBlocksOrObservations) {
  BlockedSamples a;
  BlockedSamples b;
  for (std::uint64_t i = 0; i < 40; ++i) {
    a.add(i % 3, i);
    b.add(i % 3, i + 20);
  }
  const DistributionDistance distance = distance_between(a, b, {});
  EXPECT_FALSE(distance.told);
  EXPECT_NEAR(distance.shape.value, 0.5, 1e-12);
  EXPECT_EQ(distance.shape.p, 1);
  const auto one_of_each = [](std::size_t blocks, std::size_t step) {
    BlockedSamples samples;
    for (std::size_t block = 0; block < blocks; ++block) samples.add(block * step, 0);
    return samples;
  };
  EXPECT_FALSE(distance_between(one_of_each(29, 1), one_of_each(60, 1), {}).told);
  EXPECT_TRUE(distance_between(one_of_each(30, 2), one_of_each(30, 1), {}).told);
  // Blocks without an observation are none.
  BlockedSamples last_only;
  for (int i = 0; i < 100; ++i) last_only.add(40, 1);
  EXPECT_FALSE(distance_between(last_only, one_of_each(60, 1), {}).told);
}

// Both rise alike from block to block, as hits of a cache that warms do: a small difference that is
// there in every block is found by pairs only.
TEST(DistanceBetween, TakesNoCommonChangeForChance) {
  const auto rising = [](std::uint64_t more) {
    BlockedSamples samples;
    for (std::uint64_t block = 0; block < 32; ++block) {
      for (std::uint64_t i = 0; i < 100; ++i) samples.add(block, i < 2 * block + more ? 0 : 1);
    }
    return samples;
  };
  EXPECT_GT(distance_between(rising(0), rising(5), {}).shape.p, 0.2);
  const DistributionDistance paired = distance_between(rising(0), rising(5), {.paired = true});
  EXPECT_NEAR(paired.shape.value, 0.05, 1e-12);
  EXPECT_LT(paired.shape.p, 0.001);
}

TEST(LogBins, HoldTheSizesThatPeopleUseApart) {
  for (std::uint64_t size = 512; size <= 64 * 1024; size += 512) {
    EXPECT_EQ(log_bins::low_of(log_bins::index_of(size)), size);
  }
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const std::size_t bin = log_bins::index_of(value);
    EXPECT_LT(bin, log_bins::kCount);
    EXPECT_LE(log_bins::low_of(bin), value);
    EXPECT_LE(value - log_bins::low_of(bin), value / 64);
  }
}

}  // namespace
}  // namespace rigel
