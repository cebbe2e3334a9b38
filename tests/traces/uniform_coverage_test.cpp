#include "traces/uniform_coverage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace rigel {
namespace {

// The occupancy problem's moments, written out (Feller, vol. 1): n balls in N urns.
double classical_mean(double urns, double balls) {
  return urns * (1 - std::pow(1 - 1 / urns, balls));
}
double classical_variance(double urns, double balls) {
  return urns * (urns - 1) * std::pow(1 - 2 / urns, balls) + urns * std::pow(1 - 1 / urns, balls) -
         urns * urns * std::pow(1 - 1 / urns, 2 * balls);
}

TEST(UniformCoverage, OfSinglePagesIsTheOccupancyProblem) {
  for (const double urns : {10.0, 1000.0, 100'000.0}) {
    // Fewer balls than urns / 10 would be lost to cancellation in the formulas above.
    for (const double balls : {urns / 10, urns, 3 * urns}) {
      const Coverage coverage = uniform_coverage(static_cast<std::uint64_t>(urns),
                                                 {{1, static_cast<std::uint64_t>(balls)}});
      const double mean = classical_mean(urns, balls);
      EXPECT_NEAR(coverage.mean_pages, mean, 1e-9 * mean) << urns << " " << balls;
      ASSERT_TRUE(coverage.variance_pages2);
      const double variance = classical_variance(urns, balls);
      EXPECT_NEAR(*coverage.variance_pages2, variance, 1e-4 * variance + 1e-9)
          << urns << " " << balls;
    }
  }
}

// Where the requests are few, the pages hit twice are a Poisson variable of mean n^2 / 2N.
TEST(UniformCoverage, FewRequestsOnALargeDeviceKeepTheirPrecision) {
  const double urns = 402'653'184;  // 3 TiB of 8 KiB
  const double balls = 100'000;
  const Coverage coverage =
      uniform_coverage(static_cast<std::uint64_t>(urns), {{1, static_cast<std::uint64_t>(balls)}});
  const double collisions = balls * balls / (2 * urns);
  EXPECT_NEAR(balls - coverage.mean_pages, collisions, 0.001 * collisions);
  EXPECT_NEAR(*coverage.variance_pages2, collisions, 0.001 * collisions);
}

// Requests of several sizes, against what happens when they are really drawn.
TEST(UniformCoverage, OfMixedSizesAgreesWithSimulation) {
  constexpr std::uint64_t kPages = 200;
  constexpr int kRuns = 20'000;
  std::mt19937_64 random{11};
  double sum = 0;
  double squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<bool> touched(kPages);
    const auto draw = [&](std::uint64_t length) {
      const std::uint64_t first = random() % kPages;
      for (std::uint64_t i = 0; i < length; ++i) touched[(first + i) % kPages] = true;
    };
    for (int i = 0; i < 30; ++i) draw(1);
    for (int i = 0; i < 20; ++i) draw(4);
    for (int i = 0; i < 2; ++i) draw(32);
    double distinct = 0;
    for (const bool page : touched) distinct += page ? 1 : 0;
    sum += distinct;
    squares += distinct * distinct;
  }
  const double mean = sum / kRuns;
  const double variance = squares / kRuns - mean * mean;
  const Coverage coverage = uniform_coverage(kPages, {{1, 30}, {4, 20}, {32, 2}});
  // Four standard errors: of a mean sqrt(v/n), of a variance about v sqrt(2/n).
  EXPECT_NEAR(coverage.mean_pages, mean, 4 * std::sqrt(variance / kRuns));
  ASSERT_TRUE(coverage.variance_pages2);
  EXPECT_NEAR(*coverage.variance_pages2, variance, 4 * variance * std::sqrt(2.0 / kRuns));
}

TEST(UniformCoverage, NothingIsLeftToChanceAtTheEnds) {
  EXPECT_EQ(uniform_coverage(100, {}).mean_pages, 0);
  EXPECT_EQ(uniform_coverage(100, {{100, 1}}).mean_pages, 100);
  EXPECT_EQ(uniform_coverage(1, {{1, 5}}).mean_pages, 1);
}

}  // namespace
}  // namespace rigel
