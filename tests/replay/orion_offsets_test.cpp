#include "replay/orion_offsets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <vector>

namespace rigel {
namespace {

constexpr std::uint64_t kBlock = 8192;
constexpr std::uint64_t k512G = (std::uint64_t{512} << 30) / kBlock;
constexpr std::uint64_t k3T = (std::uint64_t{3} << 40) / kBlock;

// Probability that honest draws spread at least as evenly as these over equal shares of the span.
double chi_square_p(RandomOffsets& offsets, std::uint64_t blocks, std::size_t draws,
                    std::size_t shares) {
  std::vector<std::uint64_t> counts(shares);
  for (std::size_t i = 0; i < draws; ++i) ++counts[offsets.next() / (blocks / shares + 1)];
  double statistic = 0;
  for (std::size_t share = 0; share < shares; ++share) {
    const std::uint64_t width = blocks / shares + 1;
    const std::uint64_t begin = share * width;
    const auto size = static_cast<double>(std::min(width, blocks - begin));
    const double expected = static_cast<double>(draws) * size / static_cast<double>(blocks);
    statistic += std::pow(static_cast<double>(counts[share]) - expected, 2) / expected;
  }
  return boost::math::cdf(boost::math::chi_squared(static_cast<double>(shares - 1)), statistic);
}

// Random123's own known answer for Philox4x32-10, counter and key 0.
TEST(CounterRandom, IsPhilox4x32With10Rounds) {
  CounterRandom random{{0, 0, 0}};
  EXPECT_EQ(random.next(), 0x6627e8d5e169c58dULL);
  EXPECT_EQ(random.next(), 0xbc57ac4c9b00dbd8ULL);
}

TEST(RandomOffsets, AreSpreadEvenlyOverTheWholeSpan) {
  for (const std::uint64_t blocks : {k512G, k3T, std::uint64_t{1'000'003}}) {
    RandomOffsets offsets{{20'261'130, 3, 0}, blocks, false};
    const double p = chi_square_p(offsets, blocks, 2'000'000, 1'000);
    EXPECT_GT(p, 0.001) << blocks;
    EXPECT_LT(p, 0.999) << blocks;
  }
}

TEST(RandomOffsets, MeetAsManyDistinctBlocksAsIndependentDrawsDo) {
  constexpr std::size_t kDraws = 1'000'000;
  RandomOffsets offsets{{7, 0, 0}, k512G, false};
  std::vector<std::uint64_t> drawn(kDraws);
  for (auto& block : drawn) block = offsets.next();
  std::sort(drawn.begin(), drawn.end());
  const auto distinct =
      static_cast<double>(std::unique(drawn.begin(), drawn.end()) - drawn.begin());
  const auto span = static_cast<double>(k512G);
  const double expected = span * -std::expm1(kDraws * std::log1p(-1 / span));
  // The number of repeats is close to Poisson.
  EXPECT_NEAR(distinct, expected, 4 * std::sqrt(kDraws - expected));
}

TEST(RandomOffsets, OfTwoPointsOfOneRunHaveNothingInCommon) {
  RandomOffsets first{{7, 1, 0}, k3T, false};
  RandomOffsets second{{7, 2, 0}, k3T, false};
  int same = 0;
  for (int i = 0; i < 10'000; ++i) same += first.next() == second.next() ? 1 : 0;
  EXPECT_LT(same, 3);
}

TEST(RandomOffsets, OfOneSeedAreTheSameAgain) {
  RandomOffsets first{{7, 1, 0}, k3T, false};
  RandomOffsets again{{7, 1, 0}, k3T, false};
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(first.next(), again.next());
}

TEST(RandomOffsets, WithoutRepeatVisitEveryBlockOnceAPassAndPassesDiffer) {
  constexpr std::uint64_t kBlocks = 1'009;
  RandomOffsets offsets{{7, 1, 0}, kBlocks, true};
  std::vector<std::uint64_t> passes[2];
  for (auto& pass : passes) {
    for (std::uint64_t i = 0; i < kBlocks; ++i) pass.push_back(offsets.next());
  }
  EXPECT_NE(passes[0], passes[1]);
  for (auto& pass : passes) {
    std::sort(pass.begin(), pass.end());
    for (std::uint64_t i = 0; i < kBlocks; ++i) ASSERT_EQ(pass[i], i);
  }
}

TEST(StripedStreams, BeginEvenlySpreadAndASingleOneAtTheBeginning) {
  EXPECT_EQ(striped_stream_start(1'000, 0, 1), 0U);
  EXPECT_EQ(striped_stream_start(1'000, 0, 3), 250U);
  EXPECT_EQ(striped_stream_start(1'000, 2, 3), 750U);
}

}  // namespace
}  // namespace rigel
