#include "model/compare/hit_miss_fit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "model/array/array_config.hpp"
#include "model/array/simulation.hpp"

namespace rigel {
namespace {

constexpr std::size_t kBlocks = 64;

// Hits lognormal with median 300 us and this deviation; misses gamma of this shape (1: exponential)
// with mean 8 ms, by themselves or after what a hit takes.
struct Populations {
  double miss_shape = 1;
  bool miss_after_hit = false;
  double hit_deviation = 0.25;
  double delayed_hits = 0;  // share of the hits that take 0.6 ms more on average, exponential
};

struct Reads {
  BlockedSamples latencies;
  double hit_ratio = 0;  // as counted
};

// Reads of which so many hit, by chance.
Reads make_reads(double hit_ratio, const Populations& populations, std::uint64_t seed,
                 std::size_t reads = 6400) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> unit;
  std::lognormal_distribution<double> hit{std::log(300e3), populations.hit_deviation};
  std::gamma_distribution<double> miss{populations.miss_shape, 8e6 / populations.miss_shape};
  std::exponential_distribution<double> delay{1 / 0.6e6};
  Reads made;
  for (std::size_t i = 0; i < reads; ++i) {
    const bool is_hit = unit(random) < hit_ratio;
    made.hit_ratio += is_hit ? 1 / static_cast<double>(reads) : 0;
    const double ns =
        (is_hit || populations.miss_after_hit ? hit(random) : 0) + (is_hit ? 0 : miss(random));
    made.latencies.add(i * kBlocks / reads, static_cast<std::uint64_t>(ns));
  }
  return made;
}

BlockedSamples make_latencies(double hit_ratio, const Populations& populations, std::uint64_t seed,
                              std::size_t reads = 6400) {
  return make_reads(hit_ratio, populations, seed, reads).latencies;
}

constexpr std::array kRatios{0.05, 0.19, 0.5, 0.81, 0.95};

// The ratio counted is within the 95 % interval for at least 38 of 40 seeds, whatever the ratio.
void expect_coverage(const Populations& populations) {
  int covered = 0;
  double widest = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Reads reads = make_reads(kRatios[seed % kRatios.size()], populations, 1000 + seed);
    const double truth = reads.hit_ratio;
    const HitMissFit fit = fit_hits_and_misses(reads.latencies);
    ASSERT_TRUE(fit.two_populations) << "seed " << seed << " ratio " << truth;
    covered += fit.low <= truth && truth <= fit.high ? 1 : 0;
    widest = std::max(widest, fit.high - fit.low);
    EXPECT_NEAR(fit.hit_ratio, truth, 0.03) << "seed " << seed;
  }
  EXPECT_GE(covered, 38);
  EXPECT_LT(widest, 0.08);
}

TEST(FitHitsAndMisses, RecoversTheHitRatioWithExponentialMisses) {
  expect_coverage({.miss_shape = 1});
}

TEST(FitHitsAndMisses, RecoversTheHitRatioWithGammaMisses) {
  expect_coverage({.miss_shape = 4});
}

// A lookup in the cache and then a disk: no miss is as short as
// most hits, which the density of hits alone does not show.
TEST(FitHitsAndMisses, RecoversTheHitRatioOfMissesThatFirstTakeAHitsTime) {
  expect_coverage({.miss_shape = 1, .miss_after_hit = true, .hit_deviation = 0.2});
}

// A busy host: one hit in seven waits for it.
TEST(FitHitsAndMisses, RecoversTheHitRatioWhenSomeHitsAreDelayed) {
  expect_coverage({.miss_after_hit = true, .hit_deviation = 0.15, .delayed_hits = 0.15});
}

// Neither the share of hits nor an interval of it may be told of a cache before flash before disks.
TEST(FitHitsAndMisses, SaysNothingOfThreePopulations) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::mt19937_64 random{seed};
    std::uniform_real_distribution<double> unit;
    std::lognormal_distribution<double> hit{std::log(200e3), 0.2};
    std::lognormal_distribution<double> flash{std::log(1.2e6), 0.2};
    std::gamma_distribution<double> disk{3, 3e6};
    BlockedSamples samples;
    for (std::size_t i = 0; i < 20'000; ++i) {
      const double kind = unit(random);
      samples.add(i * kBlocks / 20'000, static_cast<std::uint64_t>(kind < 0.1   ? hit(random)
                                                                   : kind < 0.5 ? flash(random)
                                                                                : disk(random)));
    }
    const HitMissFit fit = fit_hits_and_misses(samples);
    EXPECT_FALSE(fit.two_populations) << seed << ": " << fit.hit_ratio;
    EXPECT_TRUE(fit.more_populations) << seed;
  }
}

TEST(FitHitsAndMisses, FindsWhatHitsAndMissesTake) {
  const HitMissFit fit = fit_hits_and_misses(make_latencies(0.5, {}, 7, 64'000));
  EXPECT_NEAR(fit.hit_ns, 300e3, 6e3);
  EXPECT_NEAR(fit.miss_ns, 8e6, 0.2e6);
  EXPECT_EQ(fit.model.miss_shape, MissShape::kGamma);
  EXPECT_NEAR(fit.model.miss.first, 1, 0.05);
}

TEST(FitHitsAndMisses, SeesOnePopulationWhereThereIsOne) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(0, {}, seed)).two_populations);
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(0, {.miss_shape = 4}, seed)).two_populations);
    EXPECT_FALSE(fit_hits_and_misses(make_latencies(1, {}, seed)).two_populations);
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

// An array whose hits are counted: 32 disks, a cache of 96 MiB kept full by uniform reads of 8 KiB,
// 16 of them outstanding, so that misses wait for each other. Before 512 MiB, 19 % hit; before 128
// MiB, 75 %.
HitMissFit fit_of_array(std::uint64_t span_bytes, std::uint64_t seed, double& counted) {
  ArrayConfig config = load_array_config("disks32-96g");
  config.cache.bytes = 96ULL << 20;
  ArraySimulator array{config, seed};
  AccessPattern pattern{{.span_bytes = span_bytes, .seed = seed}};
  warm_up(array, pattern, 200'000);
  constexpr std::size_t kReads = 6400;
  BlockedSamples samples;
  std::int64_t now_ns = 0;
  std::size_t done = 0;
  double hits = 0;
  for (std::uint32_t i = 0; i < 16; ++i) array.submit(now_ns, pattern.next(), i);
  for (ArrayCompletion completion;
       done < kReads && array.next_completion(ArraySimulator::kNever, completion); ++done) {
    now_ns = completion.finish_ns;
    hits += completion.hit ? 1 : 0;
    samples.add(done * kBlocks / kReads,
                static_cast<std::uint64_t>(completion.finish_ns - completion.start_ns));
    array.submit(now_ns, pattern.next(), completion.tag);
  }
  counted = hits / kReads;
  return fit_hits_and_misses(samples);
}

TEST(FitHitsAndMisses, CountsTheHitsOfASimulatedArray) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    double counted = 0;
    const HitMissFit fit = fit_of_array(seed % 2 == 0 ? 512ULL << 20 : 128ULL << 20, seed, counted);
    ASSERT_TRUE(fit.two_populations) << "seed " << seed;
    covered += fit.low <= counted && counted <= fit.high ? 1 : 0;
    EXPECT_NEAR(fit.hit_ratio, counted, 0.01) << "seed " << seed;
  }
  EXPECT_GE(covered, 38);
}

TEST(HitsBelow, CountsWhatIsBelowTheBorder) {
  const BlockedSamples samples = make_latencies(0.5, {.miss_shape = 4}, 3, 64'000);
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
