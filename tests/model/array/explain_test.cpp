// The founding cases and planted ones. What must come out is what the figures themselves say: 32
// disks of 8 ms read 4,000 blocks a second at most, 96 GB of 512 GB is 18.75 %.
#include "model/array/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/array/analytic.hpp"
#include "model/array/hypotheses.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kGiB = 1024.0 * 1024 * 1024;

LoadCurve sample(const char* file) {
  return read_load_curve({std::string{RIGEL_TEST_DATA} + "/orion/" + file});
}

ArrayClaim claim_of(double span_bytes) {
  ArrayClaim claim;
  claim.disks = 32;
  claim.cache_bytes = 96 * kGiB;
  claim.span_bytes = span_bytes;
  return claim;
}

const Hypothesis& find(const Explanation& explanation, std::string_view begins) {
  for (const Hypothesis& hypothesis : explanation.hypotheses) {
    if (std::string_view{hypothesis.name}.starts_with(begins)) return hypothesis;
  }
  throw Error{"no such hypothesis"};
}

HypothesisVerdict verdict(const Explanation& explanation, std::string_view begins) {
  return find(explanation, begins).verdict;
}

TEST(CurveEvidence, UniformHitsAreCountedFromWhatWasRead) {
  // Filling: hits are reads less new pages; N = 1000, 1000 reads: 1 - 1000 (1 - 1/e) / 1000.
  EXPECT_NEAR(uniform_hits_so_far(0, 1000, 1000, 1000), std::exp(-1), 1e-12);
  // Long after it is full: what it holds, whatever the page.
  EXPECT_NEAR(uniform_hits_so_far(1e9, 1000, 1e6, 187500), 0.1875, 1e-12);
  EXPECT_NEAR(uniform_hits_so_far(1e9, 1000, 1e3, 187.5), 0.1875, 1e-12);
  // Against the simulated cache.
  PatternOptions options;
  options.span_bytes = 8192ULL * 20'000;
  AccessPattern reads{options};
  ArrayConfig config;
  config.cache.bytes = 8192ULL * 5000;
  ArraySimulator array{config, 1};
  double hits = 0;
  for (int i = 0; i < 4000; ++i) (void)array.warm(reads.next());
  for (int i = 0; i < 8000; ++i) hits += array.warm(reads.next()) ? 1 : 0;
  EXPECT_NEAR(hits / 8000, uniform_hits_so_far(4000, 8000, 20'000, 5000), 0.01);
}

TEST(CurveEvidence, ThroughputOfTheNetworkIsTheExactSolution) {
  ArrayClaim claim = claim_of(3072 * kGiB);
  const auto exact =
      solve_closed({{.name = "hits", .kind = StationKind::kDelay, .service_s = 0.25 * 300e-6},
                    {.name = "disks", .service_s = 8e-3, .visits = 0.75 / 32, .copies = 32}},
                   160);
  for (const unsigned n : {1U, 32U, 160U}) {
    EXPECT_NEAR(closed_throughput(claim, n, 0.25, 1, 0), exact[n - 1].throughput, 1e-9 * 5000);
  }
}

TEST(Explain, TheLargeLunBreaksAfter128AndNotBefore) {
  const Explanation explanation = explain(sample("seed-3tb.txt"), claim_of(3072 * kGiB));
  ASSERT_EQ(explanation.points.size(), 27U);
  for (const PointEvidence& e : explanation.points) {
    const double n = e.point.outstanding;
    EXPECT_TRUE(e.littles_law_holds) << n;
    EXPECT_DOUBLE_EQ(e.disk_limit_iops, 4000);
    EXPECT_DOUBLE_EQ(e.expected_most, 96.0 / 3072);
    EXPECT_LT(e.expected, 0.01) << n;
    if (n <= 128) {
      EXPECT_FALSE(e.growth.is_faster_than_load(0)) << n;
    }
    if (n <= 128) {
      EXPECT_EQ(e.implied, 0) << n;
    }
  }
  const PointEvidence& last = explanation.points.back();
  EXPECT_NEAR(last.least_hit_by_throughput, 1 - 4000.0 / 5533, 1e-12);
  const std::size_t change = late_change(explanation.points);
  EXPECT_EQ(explanation.points[change].point.outstanding, 136);

  EXPECT_EQ(verdict(explanation, "independent uniform"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "the generator restarted"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "read-ahead"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "uniform reads, and a cache warm"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "thin"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "the link"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "smarter disk"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "a change that depends"), HypothesisVerdict::kConsistent);
  EXPECT_THAT(explanation.conclusion, HasSubstr("Between 128 and 136 outstanding"));
  EXPECT_THAT(explanation.conclusion, HasSubstr("latency fell"));
  // 24 exponential services over 32 disks: X = 24 / (8 ms x (1 + 23 / 32)) = 1,745; 1,294 is 74 %.
  EXPECT_NEAR(explanation.points[9].part_of_disks, 1294 * 8e-3 * (1 + 23.0 / 32) / 24, 1e-9);
  EXPECT_THAT(explanation.verdicts[9], HasSubstr("74 % of what the disks described"));
  EXPECT_THAT(explanation.conclusion, HasSubstr("queue"));
}

TEST(Explain, TheSmallLunWasNotReadUniformlyFromTheFirstPointOn) {
  const Explanation explanation = explain(sample("seed-512g.txt"), claim_of(512 * kGiB));
  ASSERT_EQ(explanation.points.size(), 26U);
  const PointEvidence& first = explanation.points.front();
  EXPECT_GT(first.implied, 0.97);
  EXPECT_LT(first.expected, 0.01);
  const PointEvidence& last = explanation.points.back();
  EXPECT_EQ(last.point.outstanding, 152);
  EXPECT_NEAR(last.least_hit_by_throughput, 1 - 4000.0 / 53775, 1e-12);
  EXPECT_DOUBLE_EQ(last.expected_most, 0.1875);
  for (const PointEvidence& e : explanation.points) EXPECT_LE(e.expected, 0.1875 + 1e-12);

  EXPECT_EQ(verdict(explanation, "independent uniform"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "uniform reads, and a cache warm"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "read-ahead"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(verdict(explanation, "smarter disk"), HypothesisVerdict::kRefuted);
  EXPECT_TRUE(explanation.points[1].faster_than_hits);  // 0.24 ms where a hit takes 0.3 ms
  // A change at 136 does not explain the hits before it.
  EXPECT_EQ(verdict(explanation, "a change that depends"), HypothesisVerdict::kUndecided);
  // Averages cannot tell these apart, and it says so.
  EXPECT_EQ(verdict(explanation, "the generator restarted"), HypothesisVerdict::kUndecided);
  EXPECT_NE(verdict(explanation, "thin"), HypothesisVerdict::kRefuted);
  EXPECT_NE(verdict(explanation, "a span smaller"), HypothesisVerdict::kRefuted);
  EXPECT_THAT(explanation.conclusion, HasSubstr("93 %"));
  EXPECT_THAT(explanation.conclusion, HasSubstr("at most 19 %"));
  EXPECT_THAT(explanation.conclusion, HasSubstr("--trace"));
}

TEST(Explain, LikelihoodsAreAPartOfOne) {
  const Explanation explanation = explain(sample("seed-3tb.txt"), claim_of(3072 * kGiB));
  double sum = 0;
  for (const Hypothesis& hypothesis : explanation.hypotheses) {
    EXPECT_GE(hypothesis.likelihood, 0);
    EXPECT_FALSE(hypothesis.why.empty()) << hypothesis.name;
    EXPECT_FALSE(hypothesis.settled_by.empty());
    sum += hypothesis.likelihood;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// A ladder on a simulated array, each point of the same duration; `restart` plants the fault.
LoadCurve simulated_ladder(const ArrayConfig& config, const PatternOptions& options, bool restart) {
  LoadCurve curve;
  ArraySimulator array{config, 11};
  AccessPattern reads{options};
  std::int64_t now_ns = 0;
  double iops = 100;
  for (const unsigned n : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 160U}) {
    if (restart) reads = AccessPattern{options};
    const std::uint64_t ios = static_cast<std::uint64_t>(iops * 60);
    const LoadResult result = run_closed(
        array, [&] { return reads.next(); }, {.outstanding = n, .ios = ios, .warm_up_ios = 0},
        now_ns);
    LoadPoint point;
    point.outstanding = n;
    point.iops = result.iops;
    point.latency_ns = result.latency.mean_ns();
    point.duration_ns = static_cast<double>(result.duration_ns);
    curve.points.push_back(point);
    iops = 4000.0 * n / (n + 31);
  }
  return curve;
}

ArrayConfig scaled_array() {
  ArrayConfig config = load_array_config("disks32-96g");
  config.cache.bytes = 3ULL << 30;  // holds all that a ladder reads, 1/32 of the span
  config.link.bytes_per_second = 0;
  return config;
}

TEST(Explain, HonestUniformReadsAreToldFromARestartedGeneratorByTheirAveragesAlone) {
  const ArrayConfig config = scaled_array();
  PatternOptions options;
  options.span_bytes = 96ULL << 30;
  ArrayClaim claim = claim_of(96 * kGiB);
  claim.cache_bytes = 3 * kGiB;
  const Explanation honest = explain(simulated_ladder(config, options, false), claim);
  EXPECT_EQ(verdict(honest, "independent uniform"), HypothesisVerdict::kConsistent);
  EXPECT_EQ(verdict(honest, "the generator restarted"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(late_change(honest.points), 0U);
  const Explanation restarted = explain(simulated_ladder(config, options, true), claim);
  EXPECT_EQ(verdict(restarted, "independent uniform"), HypothesisVerdict::kRefuted);
  EXPECT_NE(verdict(restarted, "the generator restarted"), HypothesisVerdict::kRefuted);
}

TEST(Explain, ALinkThatHoldsThroughputIsSeen) {
  LoadCurve curve;
  for (const double n : {1, 2, 4, 8, 16, 32, 64}) {
    LoadPoint point;
    point.outstanding = n;
    point.iops = std::min(n / 0.3e-3, 20'000.0);
    complete_by_littles_law(point);
    curve.points.push_back(point);
  }
  ArrayClaim claim = claim_of(1024 * kGiB);
  EXPECT_EQ(verdict(explain(curve, claim), "the link"), HypothesisVerdict::kConsistent);
  claim.link_bytes_per_second = 1e9;
  EXPECT_EQ(verdict(explain(curve, claim), "the link"), HypothesisVerdict::kRefuted);
}

TEST(Explain, AClaimThatMakesNoSenseIsRefused) {
  const LoadCurve curve = sample("seed-3tb.txt");
  ArrayClaim claim = claim_of(kGiB);
  claim.disks = 0;
  EXPECT_THAT([&] { (void)explain(curve, claim); },
              ThrowsMessage<UsageError>(HasSubstr("number of disks 0")));
  claim = claim_of(kGiB);
  claim.miss_time_ns = claim.hit_time_ns;
  EXPECT_THAT([&] { (void)explain(curve, claim); },
              ThrowsMessage<UsageError>(HasSubstr("longer than a hit")));
  EXPECT_THAT(
      [&] {
        (void)explain(LoadCurve{"x.csv", {}}, claim_of(kGiB));
      },
      ThrowsMessage<Error>(HasSubstr("x.csv: no point")));
}

}  // namespace
}  // namespace rigel
