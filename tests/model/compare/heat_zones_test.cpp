#include "model/compare/heat_zones.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace rigel {
namespace {

struct Zone {
  double pages;
  double rate;
};

// Counts of pages, each zone's Poisson; untouched pages are not seen.
std::vector<PagesOfCount> counts_of(const std::vector<Zone>& zones) {
  std::mt19937_64 random{17};
  std::map<double, double, std::greater<>> counts;
  for (const Zone& zone : zones) {
    std::poisson_distribution<int> accesses{zone.rate};
    for (double page = 0; page < zone.pages; ++page) {
      if (const int count = accesses(random); count > 0) ++counts[count];
    }
  }
  std::vector<PagesOfCount> list;
  for (const auto& [accesses, pages] : counts) list.push_back({accesses, pages});
  return list;
}

// Of 10,000 pages read twice each on average 1,353 are never read: they are of the zone as well.
TEST(HeatZones, AreOneWhereChanceAloneMakesTheDifference) {
  const auto zones = heat_zones(counts_of({{10'000, 2}}), 8);
  ASSERT_EQ(zones.size(), 1U);
  EXPECT_NEAR(zones[0].pages, 10'000, 200);
  EXPECT_DOUBLE_EQ(zones[0].share, 1);
}

TEST(HeatZones, FindTwoLawsAgain) {
  const auto zones = heat_zones(counts_of({{500, 40}, {20'000, 1}}), 8);
  ASSERT_EQ(zones.size(), 2U);
  EXPECT_NEAR(zones[0].pages, 500, 25);
  EXPECT_NEAR(zones[0].share, 0.5, 0.02);
  EXPECT_NEAR(zones[1].pages, 20'000, 800);
}

TEST(HeatZones, FollowZipfsLaw) {
  std::vector<Zone> ranks;
  for (double rank = 1; rank <= 20'000; ++rank) ranks.push_back({1, 6000 / std::pow(rank, 0.9)});
  const auto counts = counts_of(ranks);
  double accesses = 0;
  double touched = 0;
  for (const PagesOfCount& entry : counts) {
    accesses += entry.accesses * entry.pages;
    touched += entry.pages;
  }
  const auto zones = heat_zones(counts, 8);
  EXPECT_LE(zones.size(), 8U);
  EXPECT_LT(largest_gap(expected_curve(zones, accesses), lorenz_curve(counts)), 0.02);
  EXPECT_NEAR(expected_distinct(zones, accesses) / touched, 1, 0.02);
}

TEST(HeatZones, HoldTheExtremes) {
  EXPECT_TRUE(heat_zones({}, 8).empty());
  EXPECT_EQ(heat_zones({{1, 1e6}}, 8).size(), 1U);
  // Each page once, and one page a million times.
  for (const std::vector<PagesOfCount>& counts :
       {std::vector<PagesOfCount>{{1, 1e6}}, std::vector<PagesOfCount>{{1e6, 1}},
        std::vector<PagesOfCount>{{4e9, 1}, {1, 1e9}}}) {
    double share = 0;
    for (const HeatZone& zone : heat_zones(counts, 8)) {
      EXPECT_TRUE(zone.pages > 0 && zone.pages < 1e12) << zone.pages;
      share += zone.share;
    }
    EXPECT_NEAR(share, 1, 1e-9);
  }
}

// 1,000 pages, 500 draws: 1000 (1 - e^-0.5).
TEST(ExpectedDistinct, IsTheClosedForm) {
  EXPECT_NEAR(expected_distinct({{1000, 1}}, 500), 1000 * (1 - std::exp(-0.5)), 1e-9);
}

}  // namespace
}  // namespace rigel
