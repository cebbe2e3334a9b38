#include "model/compare/result_comparison.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "model/array/simulation.hpp"
#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// A replay whose service times are exponential with this mean: the quantile of p is
// -mean ln(1 - p).
MeasuredResult replay_of(double iops, double mean_ns, std::uint64_t issued) {
  const auto quantile = [&](double p) { return -mean_ns * std::log1p(-p); };
  const std::string text = fmt::format(
      R"({{"schema": 1, "issued": {}, "iops": {}, "bytes_per_second": {}, "service_time_ns":
      {{"mean": {}, "p50": {}, "p90": {}, "p99": {}, "p999": {}, "p9999": {}, "max": 1e9}}}})",
      issued, iops, iops * 4096, mean_ns, quantile(0.5), quantile(0.9), quantile(0.99),
      quantile(0.999), quantile(0.9999));
  return *parse_result_json(text, "replay.json");
}

const ResultDifference& of_key(const ResultComparison& comparison, const std::string& key) {
  for (const ResultDifference& difference : comparison.differences) {
    if (difference.key == key) return difference;
  }
  throw std::out_of_range{key};
}

TEST(LatencyTable, IsExactBetweenThePercentilesOfAnExponentialDistribution) {
  const MeasuredResult replay = replay_of(1000, 1e6, 10'000);
  const LatencyTable& table = replay.loads[0].latencies[0];
  for (const double p : {0.5, 0.6, 0.75, 0.95, 0.9995}) {
    EXPECT_NEAR(latency_at(table, p), -1e6 * std::log1p(-p), 1) << p;
    EXPECT_NEAR(share_at_or_below(table, -1e6 * std::log1p(-p)), p, 1e-9) << p;
  }
}

// 1.96 sqrt(p (1 - p) / n) / density, with density (1 - p) / mean: the delta method.
TEST(CompareResults, GivesPercentilesTheIntervalOfTheirCount) {
  const MeasuredResult replay = replay_of(1000, 1e6, 40'000);
  const ResultComparison comparison = compare_results(replay, replay);
  EXPECT_TRUE(comparison.same);
  const Measured& p90 = of_key(comparison, "service_time_ns.p90").a;
  const double noise = 1.96 * std::sqrt(0.9 * 0.1 / 40'000) / 0.1 * 1e6;
  EXPECT_NEAR(*p90.high - p90.value, noise, 0.05 * noise);
  EXPECT_NEAR(p90.value - *p90.low, noise, 0.05 * noise);
  const Measured& mean = of_key(comparison, "service_time_ns.mean").a;
  EXPECT_NEAR(*mean.high - mean.value, 1.96 * 1e6 / 200, 0.1 * 1.96 * 1e6 / 200);
  EXPECT_NEAR(*of_key(comparison, "iops").a.high, 1000 * (1 + 1.96 / 200), 0.01);
  // 40,000 I/Os have 4 beyond this one.
  EXPECT_FALSE(of_key(comparison, "service_time_ns.p9999").a.low.has_value());
}

TEST(CompareResults, TellsNoiseFromDifference) {
  const auto significant = [](double iops, std::uint64_t issued) {
    return of_key(compare_results(replay_of(1000, 1e6, issued), replay_of(iops, 1e6, issued)),
                  "iops")
        .significant;
  };
  EXPECT_FALSE(significant(1020, 1'000'000));  // certain, and little
  EXPECT_FALSE(significant(1200, 60));         // much, and by chance
  EXPECT_TRUE(significant(1200, 60'000));
  const ResultComparison slower =
      compare_results(replay_of(1000, 1e6, 60'000), replay_of(1000, 2e6, 60'000));
  EXPECT_FALSE(slower.same);
  EXPECT_TRUE(of_key(slower, "service_time_ns.p99").significant);
  EXPECT_NEAR(of_key(slower, "service_time_ns.p99").distance, 0.5, 1e-9);
}

// Of queues, whose waiting times hang together.
TEST(CompareResults, TakesTwoRunsOfOneArrayForTheSame) {
  const auto run = [](std::uint64_t seed) {
    ArrayConfig config;
    config.disks.count = 8;
    ArraySimulator array{config, seed};
    PatternOptions reads;
    reads.span_bytes = 1ULL << 40;
    reads.seed = seed;
    AccessPattern pattern{reads};
    std::int64_t now_ns = 0;
    std::string points;
    for (const unsigned n : {1U, 8U, 32U, 64U}) {
      const LoadResult load = run_closed(
          array, [&]() -> std::optional<ArrayIo> { return pattern.next(); },
          {.outstanding = n, .ios = 5000, .warm_up_ios = 20 * n}, now_ns);
      points += fmt::format(
          R"({}{{"outstanding": {}, "iops": {}, "duration_ns": {}, "latency_distribution_ns":
             {{"mean": {}, "p50": {}, "p90": {}, "p99": {}, "p999": {}}}}})",
          points.empty() ? "" : ", ", n, load.iops, load.duration_ns, load.latency.mean_ns(),
          load.latency.quantile_ns(0.5), load.latency.quantile_ns(0.9),
          load.latency.quantile_ns(0.99), load.latency.quantile_ns(0.999));
    }
    return *parse_result_json(fmt::format(R"({{"schema": 1, "points": [{}]}})", points), "run");
  };
  int same = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    same += compare_results(run(2 * seed), run(2 * seed + 1)).same ? 1 : 0;
  }
  EXPECT_GE(same, 38);
}

TEST(CompareResults, LaysLoadsOfOrionSideBySide) {
  const std::string folder = RIGEL_TEST_DATA "/orion/";
  const auto large = read_result(folder + "seed-3tb.txt");
  const auto small = read_result(folder + "seed-512g.txt");
  ASSERT_TRUE(large && small);
  const ResultComparison comparison = compare_results(*large, *small);
  EXPECT_FALSE(comparison.same);
  const ResultDifference& first = of_key(comparison, "iops@1");
  EXPECT_EQ(first.a.value, 121);
  EXPECT_EQ(first.b.value, 2468);
  EXPECT_TRUE(first.significant);
  EXPECT_NEAR(*first.a.high, 121 + 1.96 * 121 / std::sqrt(121 * 59.99) + 0.5, 0.01);
  EXPECT_TRUE(compare_results(*large, *large).same);
}

TEST(CompareResults, RefusesWhatHasNoLoadInCommon) {
  const auto curve = [](const char* outstanding) {
    return *parse_result_json(
        fmt::format(R"({{"points": [{{"outstanding": {}, "iops": 100}}]}})", outstanding), "c");
  };
  EXPECT_THROW((void)compare_results(curve("1"), curve("2")), Error);
  EXPECT_THAT(compare_results(curve("1"), curve("1")).missing, testing::IsEmpty());
}

TEST(ReadResult, TellsResultsFromTraces) {
  const ScratchFolder folder;
  const auto result_in = [&](const std::string& text) {
    std::ofstream{folder.file("x")} << text;
    return read_result(folder.file("x"));
  };
  EXPECT_FALSE(result_in("{\"op\": \"read\", \"offset_bytes\": 0}\n{\"op\": \"read\"}\n"));
  EXPECT_FALSE(result_in("queue_ns,offset_bytes,length_bytes,op\n1,0,4096,read\n"));
  EXPECT_FALSE(result_in(""));
  EXPECT_FALSE(result_in(std::string("RGT\0\1", 5)));
  EXPECT_FALSE(read_result(RIGEL_TEST_DATA "/traces/disksim_barracuda.trace"));
  EXPECT_TRUE(result_in("outstanding,iops\n1,100\n"));
  EXPECT_THROW((void)result_in(R"({"service_time_ns": {"p50": "fast"}, "iops": 5})"), Error);
  EXPECT_THROW(
      (void)result_in(R"({"iops": 5, "service_time_ns": {"mean": 1, "p50": 2, "p90": 1}})"), Error);
  EXPECT_FALSE(read_result(folder.file("absent")));
  EXPECT_FALSE(read_result(folder.path().string()));
}

}  // namespace
}  // namespace rigel
