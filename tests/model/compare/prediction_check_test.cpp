#include "model/compare/prediction_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/model/compare/synthetic_workload.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// Reads of which this share takes 300 us, and the others 8 ms.
std::vector<IoRecord> reads_with_hits(double hit_ratio, std::size_t count) {
  std::vector<IoRecord> records = test::make_workload({.records = count, .write_share = 0});
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> unit;
  std::lognormal_distribution<double> hit{std::log(300e3), 0.2};
  std::exponential_distribution<double> miss{1 / 8e6};
  for (IoRecord& record : records) {
    record.complete_ns =
        record.queue_ns +
        static_cast<std::int64_t>(unit(random) < hit_ratio ? hit(random) : miss(random));
  }
  return records;
}

constexpr char kModel[] = R"({"schema": 1, "results": [
  {"policy": "lru", "cache_bytes": 1000, "hit_ratio": 0.5, "read_hit_ratio": 0.7,
   "read_request_hit_ratio": 0.6, "low": 0.48, "high": 0.53},
  {"policy": "arc", "cache_bytes": 1000, "hit_ratio": 0.3, "read_hit_ratio": 0.3,
   "read_request_hit_ratio": null},
  {"policy": "lru", "cache_bytes": 2000, "hit_ratio": 0.9, "read_hit_ratio": null}]})";

TEST(ParsePredictions, TakesReadRequestsAndElseReadPages) {
  const auto predictions = parse_predictions(kModel, "model.json");
  ASSERT_EQ(predictions.size(), 2U);
  EXPECT_EQ(predictions[0].hit_ratio, 0.6);
  EXPECT_NEAR(predictions[0].low, 0.58, 1e-12);
  EXPECT_NEAR(predictions[0].high, 0.63, 1e-12);
  EXPECT_EQ(predictions[1].policy, "arc");
  EXPECT_EQ(predictions[1].hit_ratio, 0.3);
}

TEST(ParsePredictions, RefusesWhatIsNoModel) {
  for (const char* text :
       {"", "[]", "{}", R"({"schema": 1, "results": []})", R"({"schema": 1, "results": [{}]})",
        R"({"schema": 1, "results": [{"policy": "lru", "cache_bytes": 1,
                               "read_hit_ratio": 7}]})"}) {
    EXPECT_THROW((void)parse_predictions(text, "model.json"), Error) << text;
  }
}

TEST(CheckPredictions, SetsThePredictedRatioBesideTheOneThatLatenciesImply) {
  const auto profile = test::profile_of(reads_with_hits(0.6, 20'000));
  const PredictionCheck check =
      check_predictions(parse_predictions(kModel, "model.json"), profile, std::nullopt);
  ASSERT_EQ(check.lines.size(), 2U);
  EXPECT_NEAR(check.implied.hit_ratio, 0.6, 0.01);
  EXPECT_TRUE(check.lines[0].agrees);
  EXPECT_FALSE(check.lines[1].agrees);
  EXPECT_GE(check.windows.size(), 32U);
  EXPECT_GE(check.lines[0].windows_agreeing, check.windows.size() * 9 / 10);
  EXPECT_EQ(check.lines[1].windows_agreeing, 0U);
}

TEST(CheckPredictions, TakesABorderSetByHand) {
  const auto profile = test::profile_of(reads_with_hits(0.6, 20'000));
  const PredictionCheck check =
      check_predictions(parse_predictions(kModel, "model.json"), profile, 1'000'000);
  // The hits, and the misses that an exponential of mean 8 ms has below 1 ms.
  EXPECT_NEAR(check.implied.hit_ratio, 0.6 + 0.4 * -std::expm1(-1.0 / 8), 0.01);
}

TEST(CheckPredictions, SaysNothingOfOnePopulation) {
  const auto profile = test::profile_of(reads_with_hits(0, 20'000));
  const PredictionCheck check =
      check_predictions(parse_predictions(kModel, "model.json"), profile, std::nullopt);
  EXPECT_FALSE(check.implied.two_populations);
  EXPECT_TRUE(check.lines.empty());
}

// What has these percentiles may be of one exponential, or of 51 % or 89 % of hits: each is inside.
TEST(CheckPredictions, BoundsTheRatioByThePercentilesAroundTheBorder) {
  const auto result = *parse_result_json(
      R"({"schema": 1, "iops": 100, "issued": 10000, "service_time_ns":
          {"mean": 1e6, "p50": 693147, "p90": 2302585, "p99": 4605170}})",
      "replay.json");
  const auto predictions = parse_predictions(kModel, "model.json");
  const PredictionCheck check = check_predictions(predictions, result, 1'000'000);
  const auto noise = [](double p) { return 1.96 * std::sqrt(p * (1 - p) / 10'000); };
  EXPECT_NEAR(check.implied.hit_ratio, -std::expm1(-1.0), 1e-6);  // of the exponential
  EXPECT_NEAR(check.implied.low, 0.5 - noise(0.5), 1e-4);
  EXPECT_NEAR(check.implied.high, 0.9 + noise(0.9), 1e-4);
  EXPECT_TRUE(check.lines[0].agrees);
  EXPECT_FALSE(check.lines[1].agrees);  // 0.3
  const PredictionCheck below = check_predictions(predictions, result, 1'000);
  EXPECT_EQ(below.implied.low, 0);
  EXPECT_TRUE(below.lines.empty());
  EXPECT_THAT(below.cannot_tell, testing::HasSubstr("percentiles"));
  const auto bare =
      *parse_result_json(R"({"schema": 1, "points": [{"outstanding": 1, "iops": 1}]})", "c");
  EXPECT_THROW((void)check_predictions(parse_predictions(kModel, "m"), bare, 1), Error);
}

// fio's: of a job of reads and one of writes, only the reads count; without percentiles, or without
// reads, there is nothing to count, and that is said.
TEST(CheckPredictions, TakesTheReadsOfFio) {
  const auto part = [](const std::string& direction, const std::string& clat) {
    return "{\"" + direction + R"(": {"total_ios": 10000, "iops": 1, "bw_bytes": 1, "clat_ns": )" +
           clat + "}}";
  };
  const auto result = [](const std::string& jobs) {
    return *parse_result_json(R"({"fio version": "3", "jobs": [)" + jobs + "]}", "fio.json");
  };
  const std::string fast = R"({"mean": 1, "percentile": {"1.000000": 90, "60.000000": 100,
      "61.000000": 5000, "99.990000": 6000}})";
  const std::string slow = R"({"mean": 1, "percentile": {"1.000000": 7000, "99.990000": 8000}})";
  const auto predictions = parse_predictions(kModel, "model.json");
  for (const std::string& jobs :
       {part("read", fast), part("read", fast) + "," + part("write", slow)}) {
    const PredictionCheck check = check_predictions(predictions, result(jobs), 1'000);
    EXPECT_NEAR(check.implied.hit_ratio, 0.605, 0.006);
    EXPECT_LE(check.implied.low, 0.6);
    EXPECT_GE(check.implied.high, 0.61);
    EXPECT_LE(check.implied.high - check.implied.low, 0.04);
  }
  for (const std::string& jobs :
       {part("write", fast), part("read", R"({"mean": 1})"), part("read", "{}"), std::string{},
        part("read", fast) + "," + part("read", R"({"mean": 1})")}) {
    EXPECT_THROW((void)check_predictions(predictions, result(jobs), 1'000), Error) << jobs;
  }
}

// Writes may take what they take: of 1,000 reads 900 are below the border, and half of 100 others.
TEST(CheckPredictions, TakesTheReadsOfAReplayThatWroteToo) {
  const std::string slow = R"({"p50": 1e6, "p90": 9e6, "p99": 9e6, "p999": 9e6, "p9999": 9e6})";
  const std::string fast = R"({"p50": 1e5, "p90": 1e5, "p99": 1e5, "p999": 1e5, "p9999": 1e5})";
  const auto group = [](const std::string& op, int ios, const std::string& latency) {
    return R"({"op": ")" + op + R"(", "ios": )" + std::to_string(ios) + R"(, "service_time_ns": )" +
           latency + "}";
  };
  const std::string head = R"({"schema": 1, "iops": 1, "issued": 9000, "service_time_ns": )";
  const auto result =
      *parse_result_json(head + slow + R"(, "groups": [)" + group("read", 900, fast) + "," +
                             group("write", 8000, slow) + "," + group("read", 100, slow) + "]}",
                         "replay.json");
  const auto predictions = parse_predictions(kModel, "model.json");
  const PredictionCheck check = check_predictions(predictions, result, 1'000'000);
  EXPECT_NEAR(check.implied.hit_ratio, 0.95, 0.001);
  EXPECT_NEAR(check.implied.high - 0.95, 1.96 * std::sqrt(0.95 * 0.05 / 1000), 0.001);
  const auto writes = *parse_result_json(
      head + slow + R"(, "groups": [)" + group("write", 9000, slow) + "]}", "replay.json");
  EXPECT_THROW((void)check_predictions(predictions, writes, 1'000'000), Error);
}

}  // namespace
}  // namespace rigel
