#include "model/compare/nearest_zipf.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/model/compare/synthetic_workload.hpp"

namespace rigel {
namespace {

// Counts of independent draws over 1,000 blocks, 10,000 of them: all are touched, and the hottest
// tenth of Poisson counts of mean 10 has 10 + 1.755 sqrt(10) on average (the mean of a standard
// normal's upper tenth), give or take the Poisson's skewness.
TEST(NearestZipf, KnowsThatChanceAloneMakesSomeBlocksHotter) {
  test::SyntheticWorkload workload{.records = 10'000, .pages = 1000, .seed = 4};
  const WorkloadProfile profile = test::profile_of(test::make_workload(workload));
  const PageHeatSnapshot& heat = profile.places.back().heat;
  EXPECT_NEAR(heat.top_shares[8], 0.1 * (10 + 1.755 * std::sqrt(10.0)) / 10, 0.01);
  const ZipfSpread spread = nearest_zipf(10'000, heat.distinct_pages, heat.top_shares);
  EXPECT_LE(spread.theta, 0.1);
  EXPECT_LT(spread.gap, 0.02);
}

}  // namespace
}  // namespace rigel
