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

using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

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

std::optional<MeasuredResult> result_of(const std::string& path) {
  PeekableSource file{open_file(path)};
  return read_result(file);
}

const ResultDifference& of_key(const ResultComparison& comparison, const std::string& key) {
  for (const ResultDifference& difference : comparison.differences) {
    if (difference.key == key) return difference;
  }
  throw std::out_of_range{key};
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
  EXPECT_THAT(comparison.missing, Contains(HasSubstr("service_time_ns.p9999 (too few I/Os")));
}

// For 1,000 I/Os that wait apart, 10 are beyond the 99th percentile; the 95 % limits of a binomial
// count of 10 in 1,000 are 4.8 and 18.3 (any table of Clopper and Pearson's), and so those of an
// exponential latency mean x ln(1000 / limit).
TEST(CompareResults, GivesATailItsExactBinomialLimits) {
  const MeasuredResult replay = replay_of(1e6, 32e6, 32'000'000);  // 32,000 outstanding
  const Measured p99 = of_key(compare_results(replay, replay), "service_time_ns.p99").a;
  EXPECT_NEAR(*p99.high / 32e6, std::log(1000 / 4.80), 0.02);
  EXPECT_NEAR(*p99.low / 32e6, std::log(1000 / 18.3), 0.02);
}

// 37 outstanding of which the last hundredth waits ten times as long: of the few hundred I/Os
// beyond p99 those that wait apart are enough to tell, beyond p999 they are not; neither is the
// same.
TEST(CompareResults, NeverCallsTheSameWhatItCannotTell) {
  MeasuredResult replay = replay_of(38'200, 974'709, 38'662);
  MeasuredResult worse = replay;
  for (PercentileTable::Entry& entry : worse.loads[0].latencies[0].entries) {
    if (entry.share >= 0.99) entry.ns *= 10;
  }
  const ResultComparison comparison = compare_results(replay, worse);
  EXPECT_EQ(of_key(comparison, "service_time_ns.p90").verdict, ResultVerdict::kSame);
  EXPECT_EQ(of_key(comparison, "service_time_ns.p99").verdict, ResultVerdict::kDifferent);
  EXPECT_EQ(of_key(comparison, "service_time_ns.p999").verdict, ResultVerdict::kTooFew);
  EXPECT_FALSE(of_key(comparison, "service_time_ns.p999").told());
}

TEST(CompareResults, TakesAZeroForWhatItIs) {
  const MeasuredResult alive = replay_of(1000, 1e6, 10'000);
  const MeasuredResult still = replay_of(0, 1e6, 10'000);
  EXPECT_TRUE(of_key(compare_results(alive, still), "iops").significant());
  EXPECT_TRUE(of_key(compare_results(alive, still), "bytes_per_second").significant());
  EXPECT_TRUE(compare_results(still, still).same);
  const auto ladder = [](int iops) {
    return *parse_result_json(
        fmt::format(R"({{"schema": 1, "points": [{{"outstanding": 1, "iops": {}, "latency_ns": 9e5,
                    "duration_ns": 1e9}}]}})",
                    iops),
        "c");
  };
  EXPECT_TRUE(of_key(compare_results(ladder(1000), ladder(0)), "iops@1").significant());
  // Of what never ran there are no latencies.
  const auto dead = parse_result_json(
      R"({"schema": 1, "issued": 0, "iops": 0, "service_time_ns": null})", "dead.json");
  EXPECT_FALSE(compare_results(alive, *dead).same);
}

TEST(CompareResults, SetsWhatWentWrongSideBySide) {
  const auto replay = [](const char* more) {
    return *parse_result_json(
        fmt::format(
            R"({{"schema": 1, "records": 50000, "issued": 40000, "iops": 1000, "service_time_ns":
          {{"mean": 1e6, "p50": 7e5, "p90": 2.3e6}}, {}}})",
            more),
        "r");
  };
  const MeasuredResult clean = replay(
      R"("errors": {}, "not_issued": {}, "short_transfers": 0, "fidelity": {"verdict": "faithful"})");
  EXPECT_EQ(compare_results(clean, clean).differences.size(), 5U);
  for (const char* wrong :
       {R"("errors": {"EIO": 400})", R"("errors": {}, "not_issued": {"a flush": 600})",
        R"("errors": {}, "short_transfers": 300)", R"("fidelity": {"verdict": "unfaithful"})"}) {
    EXPECT_FALSE(compare_results(clean, replay(wrong)).same) << wrong;
    EXPECT_FALSE(compare_results(replay(wrong), clean).same) << wrong;
  }
  // As many of another kind; and a few, which happen.
  EXPECT_FALSE(compare_results(replay(R"("errors": {"EIO": 400})"),
                               replay(R"("errors": {"ETIMEDOUT": 400})"))
                   .same);
  EXPECT_TRUE(compare_results(clean, replay(R"("errors": {"EIO": 2})")).same);
}

TEST(CompareResults, TellsNoiseFromDifference) {
  const auto significant = [](double iops, std::uint64_t issued) {
    return of_key(compare_results(replay_of(1000, 1e6, issued), replay_of(iops, 1e6, issued)),
                  "iops")
        .significant();
  };
  EXPECT_FALSE(significant(1020, 1'000'000));  // certain, and little
  EXPECT_FALSE(significant(1200, 60));         // much, and by chance
  EXPECT_TRUE(significant(1200, 60'000));
  const ResultComparison slower =
      compare_results(replay_of(1000, 1e6, 60'000), replay_of(1000, 2e6, 60'000));
  EXPECT_FALSE(slower.same);
  EXPECT_TRUE(of_key(slower, "service_time_ns.p99").significant());
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
  const auto large = result_of(folder + "seed-3tb.txt");
  const auto small = result_of(folder + "seed-512g.txt");
  ASSERT_TRUE(large && small);
  const ResultComparison comparison = compare_results(*large, *small);
  EXPECT_FALSE(comparison.same);
  const ResultDifference& first = of_key(comparison, "iops@1");
  EXPECT_EQ(first.a.value, 121);
  EXPECT_EQ(first.b.value, 2468);
  EXPECT_TRUE(first.significant());
  EXPECT_NEAR(*first.a.high, 121 + 1.96 * 121 / std::sqrt(121 * 59.99) + 0.5, 0.01);
  EXPECT_TRUE(compare_results(*large, *large).same);
}

// A system of one queue whose latency is 1 ms up to 10 outstanding and rises by 0.1 ms for each
// more: what both curves have is where neither was measured, and is the same for all that is known.
TEST(CompareResults, ReadsCurvesOffAtEachOthersLoads) {
  const auto curve = [](const std::vector<double>& loads, double slower) {
    std::string points;
    for (const double n : loads) {
      const double latency_ns = slower * 1e5 * std::max(n, 10.0);
      points += fmt::format(
          R"({}{{"outstanding": {}, "iops": {}, "latency_ns": {}, "duration_ns": 1e11}})",
          points.empty() ? "" : ", ", n, n / latency_ns * 1e9, latency_ns);
    }
    return *parse_result_json(fmt::format(R"({{"schema": 1, "points": [{}]}})", points), "c");
  };
  const MeasuredResult a = curve({1, 10, 20, 30}, 1);
  const ResultComparison comparison = compare_results(a, curve({5, 15, 25, 60}, 1));
  EXPECT_TRUE(comparison.same);
  EXPECT_NEAR(of_key(comparison, "latency_ns@15").a.value, 1.5e6, 1);
  EXPECT_NEAR(of_key(comparison, "latency_ns@15").b.value, 1.5e6, 1);
  EXPECT_NEAR(of_key(comparison, "latency_ns@20").b.value, 2e6, 1);
  EXPECT_THAT(comparison.missing, UnorderedElementsAre("@1 (outside of the loads of B)",
                                                       "@60 (outside of the loads of A)"));
  EXPECT_FALSE(compare_results(a, curve({5, 15, 25}, 3)).same);
  // 40 % slower is within what lies between 10 and 20: not the same, and no difference either.
  const ResultComparison near = compare_results(curve({10, 20}, 1), curve({11}, 1.4));
  EXPECT_EQ(of_key(near, "latency_ns@11").verdict, ResultVerdict::kBetweenLoads);
  EXPECT_FALSE(of_key(near, "latency_ns@11").told());
}

// By Little's law a replay of 1,000 I/Os a second of 15 ms has 15 outstanding.
TEST(CompareResults, LaysARunOnACurveAtItsMeanOutstanding) {
  const auto ladder = *parse_result_json(
      R"({"schema": 1, "points": [
        {"outstanding": 10, "iops": 990, "duration_ns": 6e10, "latency_distribution_ns": {"mean": 1e7, "p50": 1e7}},
        {"outstanding": 20, "iops": 1010, "duration_ns": 6e10, "latency_distribution_ns": {"mean": 2e7, "p50": 2e7}}]})",
      "ladder");
  const ResultComparison comparison = compare_results(ladder, replay_of(1000, 15e6, 60'000));
  EXPECT_NEAR(of_key(comparison, "iops@15").a.value, 1000, 1e-6);
  EXPECT_NEAR(of_key(comparison, "service_time_ns.p50@15").a.value, 1.5e7, 1);
  EXPECT_FALSE(of_key(comparison, "iops@15").significant());
  EXPECT_TRUE(
      of_key(compare_results(ladder, replay_of(500, 30e6, 60'000)), "iops@15").significant());
}

TEST(CompareResults, RefusesWhatHasNoLoadInCommon) {
  const auto curve = [](const char* outstanding) {
    return *parse_result_json(
        fmt::format(R"({{"schema": 1, "points": [{{"outstanding": {}, "iops": 100}}]}})",
                    outstanding),
        "c");
  };
  EXPECT_THROW((void)compare_results(curve("1"), curve("2")), Error);
  EXPECT_THAT(compare_results(curve("1"), curve("1")).missing, testing::IsEmpty());
}

// The layout of fio 3.33's JSON, with its names of percentiles.
TEST(ReadResult, TakesWhatFioPrints) {
  const auto job = [](const char* direction, double iops, double mean_ns) {
    return fmt::format(
        R"("{}": {{"total_ios": {}, "iops": {}, "bw_bytes": {}, "clat_ns": {{"mean": {}, "percentile":
          {{"50.000000": 700000, "90.000000": 2300000, "99.000000": 4600000, "99.900000": 6900000}}}}}})",
        direction, 60 * iops, iops, 4096 * iops, mean_ns);
  };
  const auto result = [&](const std::string& directions) {
    return *parse_result_json(
        fmt::format(R"({{"fio version": "fio-3.33", "jobs": [{{"jobname": "a", {}}}]}})",
                    directions),
        "fio.json");
  };
  const ResultComparison same =
      compare_results(result(job("read", 1000, 1e6)), replay_of(1000, 1e6, 60'000));
  EXPECT_TRUE(same.same);
  EXPECT_EQ(of_key(same, "service_time_ns.p99").a.value, 4.6e6);
  EXPECT_EQ(of_key(same, "iops").a.value, 1000);
  const MeasuredResult both = result(job("read", 1000, 1e6) + ", " + job("write", 3000, 2e6));
  EXPECT_EQ(both.loads[0].point.iops, 4000);
  EXPECT_EQ(both.loads[0].count, 240'000);
  EXPECT_NEAR(both.loads[0].latencies[0].mean_ns, 1.75e6, 1e-6);
  // Both have the same percentiles: so have all together.
  EXPECT_DOUBLE_EQ(latency_at(both.loads[0].latencies[0], 0.99), 4.6e6);
  EXPECT_FALSE(compare_results(both, result(job("read", 1000, 1e6))).same);
  EXPECT_THROW((void)parse_result_json(R"({"fio version": "x", "jobs": [{"read": 5}]})", "f"),
               Error);
}

// A job of fio's that did so many I/Os, half of them up to `median_ns`, all of them up to twice
// that.
std::string fio_part(const char* direction, double ios, double median_ns) {
  std::string percentiles;
  for (const double percent : {1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99}) {
    percentiles +=
        fmt::format("{}\"{:.6f}\": {:.0f}", percentiles.empty() ? "" : ", ", percent,
                    percent < 50 ? median_ns * 0.99 : median_ns * (percent == 50 ? 1 : 2));
  }
  return fmt::format(
      R"("{}": {{"total_ios": {}, "iops": {}, "bw_bytes": 1e6, "short_ios": 0, "drop_ios": 0,
         "clat_ns": {{"mean": {}, "percentile": {{{}}}}}}})",
      direction, ios, ios / 10, median_ns, percentiles);
}

MeasuredResult fio_result(const std::string& jobs) {
  return *parse_result_json(fmt::format(R"({{"fio version": "fio-3.33", "jobs": [{}]}})", jobs),
                            "fio.json");
}

TEST(ReadResult, TellsReadsFromWritesOfFio) {
  const std::string write = fio_part("write", 40'000, 1e5);
  const auto mixed = [&](double read_ns) {
    return fio_result("{" + fio_part("read", 40'000, read_ns) + ", " + write + "}");
  };
  const ResultComparison same = compare_results(mixed(1e6), mixed(1e6));
  EXPECT_TRUE(same.same);
  EXPECT_EQ(of_key(same, "read_service_time_ns.p50").a.value, 1e6);
  EXPECT_EQ(of_key(same, "write_service_time_ns.p99").a.value, 2e5);
  EXPECT_EQ(of_key(same, "service_time_ns.p99").a.value, 2e6);
  const ResultComparison slower = compare_results(mixed(1e6), mixed(1.2e6));
  EXPECT_TRUE(of_key(slower, "read_service_time_ns.p50").significant());
  EXPECT_FALSE(of_key(slower, "write_service_time_ns.p50").significant());
  // In two jobs of their own, one direction each, they are the same.
  const std::string read = fio_part("read", 40'000, 1e6);
  EXPECT_TRUE(compare_results(mixed(1e6), fio_result("{" + read + "}, {" + write + "}")).same);
  // Two equal jobs have the percentiles of one.
  const MeasuredResult twice = fio_result("{" + read + "}, {" + read + "}");
  const ResultComparison once = compare_results(twice, fio_result("{" + read + "}"));
  EXPECT_EQ(of_key(once, "service_time_ns.p99").distance, 0);
  ASSERT_TRUE(mixed(1e6).loads[0].reads);
  EXPECT_EQ(mixed(1e6).loads[0].reads->size(), 1U);
  EXPECT_TRUE(fio_result("{" + write + "}").loads[0].reads->empty());
}

TEST(ReadResult, TakesAReplaysReadsAndWritesApart) {
  const auto replay = [](double read_ns, double write_ns) {
    const auto table = [](double ns) {
      return fmt::format(
          R"("service_time_ns": {{"mean": {0}, "p50": {0}, "p90": {1}, "p99": {1}}})", ns, 2 * ns);
    };
    return *parse_result_json(
        fmt::format(R"({{"schema": 1, "issued": 80000, "iops": 100, {}, "groups": [
            {{"op": "read", "ios": 40000, {}}}, {{"op": "write", "ios": 40000, {}}}]}})",
                    table(1e6), table(read_ns), table(write_ns)),
        "replay.json");
  };
  const ResultComparison swapped = compare_results(replay(1e6, 2e6), replay(2e6, 1e6));
  EXPECT_FALSE(swapped.same);
  EXPECT_TRUE(of_key(swapped, "read_service_time_ns.p50").significant());
  EXPECT_FALSE(of_key(swapped, "service_time_ns.p50").significant());
}

TEST(CompareResults, FindsWhatWentWrongForFio) {
  const auto with = [](const std::string& more) {
    return fio_result("{" + fio_part("read", 10'000, 1e6) + more + "}");
  };
  const MeasuredResult well = with(R"(, "error": 0)");
  EXPECT_TRUE(compare_results(well, well).same);
  const ResultComparison ended = compare_results(well, with(R"(, "error": 5)"));
  EXPECT_FALSE(ended.same);
  EXPECT_TRUE(of_key(ended, "failed_jobs").significant());
  const ResultComparison went_on =
      compare_results(well, with(R"(, "error": 0, "total_err": 500, "first_error": 5)"));
  EXPECT_TRUE(of_key(went_on, "errors.EIO").significant());
  std::string text = "{" + fio_part("read", 10'000, 1e6) + "}";
  text.replace(text.find(R"("short_ios": 0)"), 14, R"("short_ios": 700)");
  EXPECT_TRUE(of_key(compare_results(well, fio_result(text)), "short_transfers").significant());
}

TEST(ReadResult, RefusesFiosJsonAmongOtherText) {
  const std::string text = R"({"fio version": "fio-3.33", "jobs": []})";
  for (const std::string& mixed : {text + "\na: (groupid=0, jobs=1)", "fio: err=5\n" + text}) {
    EXPECT_THROW((void)parse_result_json(mixed, "f"), Error);
  }
}

TEST(ReadResult, TellsResultsFromTraces) {
  const ScratchFolder folder;
  const auto result_in = [&](const std::string& text) {
    std::ofstream{folder.file("x")} << text;
    return result_of(folder.file("x"));
  };
  EXPECT_FALSE(result_in("{\"op\": \"read\", \"offset_bytes\": 0}\n{\"op\": \"read\"}\n"));
  EXPECT_FALSE(result_in("queue_ns,offset_bytes,length_bytes,op\n1,0,4096,read\n"));
  EXPECT_FALSE(result_in(""));
  EXPECT_FALSE(result_in(std::string("RGT\0\1", 5)));
  EXPECT_FALSE(result_of(RIGEL_TEST_DATA "/traces/disksim_barracuda.trace"));
  EXPECT_TRUE(result_in("outstanding,iops\n1,100\n"));
  EXPECT_THROW((void)result_in(R"({"schema": 1, "service_time_ns": {"p50": "fast"}, "iops": 5})"),
               Error);
  EXPECT_THROW(
      (void)result_in(
          R"({"schema": 1, "iops": 5, "service_time_ns": {"mean": 1, "p50": 2, "p90": 1}})"),
      Error);
  EXPECT_THROW(
      (void)result_in(R"({"schema": 1, "iops": 5, "service_time_ns": {"mean": 1, "p50": 1e301}})"),
      Error);
  // The table of a run of rigel orion's with two loads: a header and its only row.
  const auto row = result_in("Large/Small,      1,      2\n      0,    100,    190\n");
  ASSERT_TRUE(row);
  ASSERT_EQ(row->loads.size(), 2U);
  EXPECT_EQ(row->loads[1].point.iops, 190);
}

}  // namespace
}  // namespace rigel
