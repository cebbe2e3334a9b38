#include "report/thinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

TEST(KeptPoints, OfFewAreAll) {
  const std::vector<double> values{3, 1, 2};
  EXPECT_EQ(kept_points(values, 2000), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(KeptPoints, HoldEverySpikeOfALongSeries) {
  std::vector<double> values(1'000'000, 5.0);
  // One spike up and one down in each thousandth.
  for (std::size_t i = 0; i < values.size(); i += 1000) {
    values[i + 377] = 100 + static_cast<double>(i);
    values[i + 613] = -100 - static_cast<double>(i);
  }
  const std::vector<std::size_t> kept = kept_points(values, 2004);
  EXPECT_LE(kept.size(), 2004U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_TRUE(std::adjacent_find(kept.begin(), kept.end()) == kept.end());
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), values.size() - 1);
  const auto both = std::minmax_element(values.begin(), values.end());
  for (const auto extreme : {both.first, both.second}) {
    const auto at = static_cast<std::size_t>(extreme - values.begin());
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), at));
  }
}

TEST(KeptPoints, EachStretchKeepsItsOwnExtremes) {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(std::sin(i * 0.37) * (1 + i % 97));
  constexpr std::size_t kMost = 202;  // a hundred stretches of a thousand
  const std::vector<std::size_t> kept = kept_points(values, kMost);
  for (std::size_t stretch = 0; stretch < 100; ++stretch) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(stretch * 1000);
    const auto both = std::minmax_element(begin, begin + 1000);
    for (const auto extreme : {both.first, both.second}) {
      EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(),
                                     static_cast<std::size_t>(extreme - values.begin())));
    }
  }
}

TEST(KeptPoints, PassOverWhatHasNoValue) {
  std::vector<double> values(10'000, std::numeric_limits<double>::quiet_NaN());
  values[4321] = 7;
  const std::vector<std::size_t> kept = kept_points(values, 100);
  EXPECT_LE(kept.size(), 100U);
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), std::size_t{4321}));
}

TEST(ThinResult, LongCurvesStayWithinTheLimitAndKeepTheirPeak) {
  Json result{{"schema", 1}, {"points", Json::array()}};
  for (int i = 0; i < 20'000; ++i) {
    result["points"].push_back(
        {{"outstanding", i}, {"iops", i == 7777 ? 1e6 : 100 + i % 3}, {"latency_ns", 1000}});
  }
  thin_result(result);
  EXPECT_LE(result["points"].size(), kMostPoints);
  EXPECT_TRUE(std::any_of(result["points"].begin(), result["points"].end(),
                          [](const Json& point) { return point["outstanding"] == 7777; }));
}

TEST(ThinResult, ManyRolesBecomeTwelveAndNothingOfTheirLoadIsLost) {
  Json result{{"schema", 1}, {"timeline", {{"interval_ns", 1000}, {"roles", Json::object()}}}};
  for (int i = 0; i < 40; ++i) {
    result["timeline"]["roles"]["role" + std::to_string(i)] = {{"iops", {i, 2 * i}},
                                                               {"bytes_per_second", {i, i}}};
  }
  thin_result(result);
  const Json& roles = result["timeline"]["roles"];
  EXPECT_EQ(roles.size(), 12U);
  EXPECT_TRUE(roles.contains("role39"));
  EXPECT_FALSE(roles.contains("role0"));
  double first = 0;
  double second = 0;
  for (const auto& [name, role] : roles.items()) {
    first += role["iops"][0].get<double>();
    second += role["iops"][1].get<double>();
  }
  EXPECT_EQ(first, 780);
  EXPECT_EQ(second, 1560);
}

TEST(ThinResult, TheChoiceOfAPlanStaysAndWhatIsLeftOutIsCounted) {
  Json plan{{"candidates", Json::array()}, {"choice", 2399U}};
  for (int i = 0; i < 2400; ++i) plan["candidates"].push_back({{"disks", i}});
  thin_result(plan);
  ASSERT_EQ(plan["candidates"].size(), kMostPoints);
  EXPECT_EQ(plan["candidates"][plan["choice"].get<std::size_t>()]["disks"], 2399);
  EXPECT_EQ(plan["candidate_count"], 2400);
  Json trace{{"devices", Json::array()}};
  for (int i = 0; i < 64; ++i) trace["devices"].push_back({{"name", "d"}});
  thin_result(trace);
  EXPECT_EQ(trace["devices"].size(), 32U);
  EXPECT_EQ(trace["device_count"], 64);
}

TEST(ThinResult, TheBusiestKindsOfAReplayStayWhereverTheyAre) {
  Json replay{{"groups", Json::array()}};
  for (int i = 0; i < 200; ++i) replay["groups"].push_back({{"ios", i * 7 % 200}});
  thin_result(replay);
  ASSERT_EQ(replay["groups"].size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(replay["groups"][i]["ios"], 199 - i);
}

TEST(ThinResult, WhatIsNotKnownOfRolesStaysUnknown) {
  Json trace{{"timeline", {{"roles", Json::object()}}}};
  for (int i = 0; i < 20; ++i) {
    trace["timeline"]["roles"][std::to_string(i)] = {{"iops", {1, nullptr, 3}}};
  }
  thin_result(trace);
  const Json& others = trace["timeline"]["roles"]["other roles"]["iops"];
  EXPECT_EQ(others, Json({9, nullptr, 27}));
}

TEST(ThinResult, LeavesAloneWhatIsNotAsExpected) {
  Json result{{"schema", 1}, {"points", 5}, {"devices", {1, 2}}, {"timeline", {{"roles", 3}}}};
  const Json before = result;
  thin_result(result);
  EXPECT_EQ(result, before);
}

}  // namespace
}  // namespace rigel
