#include "model/compare/percentile_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rigel {
namespace {

// Exponential with this mean: the quantile of p is -mean ln(1 - p).
PercentileGroup exponential(double count, double mean_ns, const std::vector<double>& shares) {
  PercentileGroup group{count, {"", mean_ns, {}}};
  for (const double share : shares) {
    group.latency.entries.push_back({"", share, -mean_ns * std::log1p(-share)});
  }
  return group;
}

const std::vector<double> kFine{0.01, 0.05, 0.1,  0.2,  0.3,   0.4,   0.5,    0.6,   0.7,
                                0.8,  0.9,  0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999};

double of_share(const PercentileTable& table, double share) {
  for (const auto& entry : table.entries) {
    if (entry.share == share) return entry.ns;
  }
  return NAN;
}

TEST(PercentileTable, IsExactBetweenThePercentilesOfAnExponentialDistribution) {
  const PercentileTable table = exponential(1, 1e6, {0.5, 0.9, 0.99, 0.999, 0.9999}).latency;
  for (const double p : {0.5, 0.6, 0.75, 0.95, 0.9995}) {
    EXPECT_NEAR(latency_at(table, p), -1e6 * std::log1p(-p), 1) << p;
    EXPECT_NEAR(share_at_or_below(table, -1e6 * std::log1p(-p)), p, 1e-9) << p;
  }
}

// 70 % at 100 us and 30 % at 5 ms has these percentiles, and so have 51 % and 89 %.
TEST(ShareBelow, IsKnownToLieBetweenItsNeighboursOnly) {
  const PercentileTable table{"", 0, {{"p50", 0.5, 1e5}, {"p90", 0.9, 5e6}, {"p99", 0.99, 6e6}}};
  for (const double ns : {1.001e5, 1e6, 5e6}) {
    const ShareBelow share = share_below(table, ns);
    EXPECT_EQ(share.least, 0.5) << ns;
    EXPECT_EQ(share.most, 0.9) << ns;
    EXPECT_GE(share.likely, 0.5) << ns;
    EXPECT_LE(share.likely, 0.9) << ns;
  }
  EXPECT_EQ(share_below(table, 1e5).least, 0);
  EXPECT_EQ(share_below(table, 1e5).most, 0.5);
  EXPECT_EQ(share_below(table, 7e6).least, 0.99);
  EXPECT_EQ(share_below(table, 7e6).most, 1);
}

// The quantiles of a mixture of exponentials, by its distribution function: 1 - F(x) =
// (w1 exp(-x/m1) + w2 exp(-x/m2)) / (w1 + w2).
TEST(Pooled, HasThePercentilesOfAMixture) {
  const PercentileTable all =
      pooled("all", {exponential(3000, 1e6, kFine), exponential(1000, 4e6, kFine)});
  EXPECT_EQ(all.name, "all");
  EXPECT_EQ(all.count, 4000);
  EXPECT_NEAR(all.mean_ns, 1.75e6, 1e-6);
  ASSERT_EQ(all.entries.size(), 4U);  // p9999 is beyond the last of the slower ones' table
  for (const auto& [name, share, ns] : all.entries) {
    const double above = 0.75 * std::exp(-ns / 1e6) + 0.25 * std::exp(-ns / 4e6);
    EXPECT_NEAR(above / (1 - share), 1, 0.05) << name;  // 0.2 ms or less
  }
}

TEST(Pooled, OfEqualGroupsIsEachOfThem) {
  const PercentileGroup one = exponential(500, 1e6, kFine);
  for (const auto& groups : {std::vector{one}, std::vector{one, one}}) {
    const PercentileTable all = pooled("all", groups);
    ASSERT_EQ(all.entries.size(), 5U);
    for (const auto& entry : all.entries) {
      EXPECT_EQ(entry.ns, -1e6 * std::log1p(-entry.share)) << entry.name;
    }
  }
}

// Half of all take about 0.1 ms and half about 10 ms: the median may be anything between.
TEST(Pooled, LeavesOutWhatTheGroupsDoNotTell) {
  PercentileGroup fast = exponential(1000, 1, kFine);
  PercentileGroup slow = fast;
  for (auto& entry : fast.latency.entries) entry.ns = 1e5 * (1 + entry.share / 100);
  for (auto& entry : slow.latency.entries) entry.ns = 1e7 * (1 + entry.share / 100);
  const PercentileTable all = pooled("all", {fast, slow});
  EXPECT_TRUE(std::isnan(of_share(all, 0.5)));
  EXPECT_NEAR(of_share(all, 0.9), 1.008e7, 1e3);  // the slower ones' 80 %
  // Percentiles that begin at 90 % say nothing of the median, nor those that end there of p99.
  const PercentileTable high = pooled("all", {exponential(1, 1e6, {0.9, 0.99})});
  ASSERT_EQ(high.entries.size(), 2U);
  EXPECT_EQ(high.entries[0].share, 0.9);
  const PercentileTable low = pooled("all", {exponential(1, 1e6, {0.5, 0.9})});
  ASSERT_EQ(low.entries.size(), 2U);
  EXPECT_EQ(low.entries[1].share, 0.9);
}

TEST(Pooled, HasNoPercentilesOrMeanWhereAGroupHasNone) {
  PercentileGroup bare{10, {"", 0, {}}};
  const PercentileTable all = pooled("all", {exponential(10, 1e6, kFine), bare});
  EXPECT_TRUE(all.entries.empty());
  EXPECT_EQ(all.mean_ns, 0);
  EXPECT_TRUE(pooled("all", {}).entries.empty());
}

}  // namespace
}  // namespace rigel
