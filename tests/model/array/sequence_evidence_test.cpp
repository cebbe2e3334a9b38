// Planted sequences whose nature is known by how they were made.
#include "model/array/sequence_evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/array/explain.hpp"
#include "model/array/hypotheses.hpp"
#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kPage = 8192;
constexpr std::uint64_t kPages = 1 << 20;
const SequenceOptions kOptions{.span_bytes = kPages * kPage, .cache_bytes = 4000 * kPage};

SequenceEvidence examine(const std::vector<std::uint64_t>& pages) {
  std::vector<IoRecord> records;
  for (const std::uint64_t page : pages) {
    IoRecord record;
    record.offset_bytes = page * kPage;
    record.length_bytes = kPage;
    records.push_back(record);
  }
  MemoryTrace trace{std::move(records), {}, ColumnSet::all(), 1000};
  return examine_sequence(trace, kOptions);
}

std::vector<std::uint64_t> uniform_pages(std::size_t count, std::uint64_t among, unsigned seed) {
  std::mt19937_64 random{seed};
  std::vector<std::uint64_t> pages(count);
  for (std::uint64_t& page : pages) page = random() % among;
  return pages;
}

// The verdicts a recording gives, whatever the averages said.
HypothesisVerdict decided(const SequenceEvidence& sequence, std::string_view begins,
                          double recorded = 1) {
  ArrayClaim claim;
  claim.disks = 32;
  claim.cache_bytes = static_cast<double>(kOptions.cache_bytes);
  claim.span_bytes = static_cast<double>(kOptions.span_bytes);
  LoadCurve curve;
  for (const double n : {1, 8, 32}) {
    LoadPoint point;
    point.outstanding = n;
    point.iops = 4000 * n / (n + 31);
    // The three points together read what was recorded.
    point.duration_ns = static_cast<double>(sequence.reads) / recorded / 2977.3 * 1e9;
    complete_by_littles_law(point);
    curve.points.push_back(point);
  }
  for (const Hypothesis& hypothesis : explain(curve, claim, sequence).hypotheses) {
    if (std::string_view{hypothesis.name}.starts_with(begins)) return hypothesis.verdict;
  }
  throw Error{"no such hypothesis"};
}

TEST(SequenceEvidence, CountsRereadsAndThoseWithinTheCachesReach) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 5000; ++page) pages.push_back(page * 7);
  pages.push_back(4999 * 7);  // still held
  pages.push_back(0);         // 5,000 pages ago, of which the cache holds 4,000
  const SequenceEvidence evidence = examine(pages);
  EXPECT_EQ(evidence.reads, 5002U);
  EXPECT_EQ(evidence.distinct_pages, 5000U);
  EXPECT_EQ(evidence.rereads, 2U);
  EXPECT_EQ(evidence.rereads_in_reach, 1U);
  EXPECT_EQ(evidence.granularity_bytes, 7 * kPage);
  EXPECT_EQ(evidence.highest_bytes, 4999 * 7 * kPage);
}

TEST(SequenceEvidence, HonestUniformReadsAreCertain) {
  const SequenceEvidence evidence = examine(uniform_pages(100'000, kPages, 1));
  // Occupancy: N (1 - (1 - 1/N)^k), standard deviation some 65 here.
  EXPECT_NEAR(static_cast<double>(evidence.distinct_pages),
              -static_cast<double>(kPages) * std::expm1(-100'000.0 / kPages), 300);
  EXPECT_GT(evidence.chi_square_p, 1e-4);
  EXPECT_LT(std::abs(evidence.serial_deviation), 4);
  EXPECT_EQ(decided(evidence, "independent uniform"), HypothesisVerdict::kCertain);
  EXPECT_EQ(decided(evidence, "the generator restarted"), HypothesisVerdict::kRefuted);
  EXPECT_EQ(decided(evidence, "a span smaller"), HypothesisVerdict::kRefuted);
}

TEST(SequenceEvidence, ARestartedGeneratorIsCertainAlsoWhenAQueueReordersIt) {
  std::vector<std::uint64_t> pages;
  std::mt19937_64 random{3};
  for (const std::size_t length : {3000U, 6000U, 12'000U, 24'000U}) {
    std::vector<std::uint64_t> point = uniform_pages(length, kPages, 1);
    for (std::size_t i = 0; i + 32 < point.size(); ++i)
      std::swap(point[i], point[i + random() % 32]);
    pages.insert(pages.end(), point.begin(), point.end());
  }
  const SequenceEvidence evidence = examine(pages);
  EXPECT_GT(evidence.rereads_in_sequence, evidence.rereads * 9 / 10);
  EXPECT_EQ(decided(evidence, "the generator restarted"), HypothesisVerdict::kCertain);
  EXPECT_EQ(decided(evidence, "independent uniform"), HypothesisVerdict::kRefuted);
}

TEST(SequenceEvidence, AShortPeriodIsNotTakenForARestart) {
  std::vector<std::uint64_t> pages;
  const std::vector<std::uint64_t> period = uniform_pages(10'000, kPages, 1);
  for (int i = 0; i < 5; ++i) pages.insert(pages.end(), period.begin(), period.end());
  const SequenceEvidence evidence = examine(pages);
  EXPECT_NEAR(evidence.sequence_distance, 10'000, 100);
  EXPECT_EQ(decided(evidence, "a generator of short period"), HypothesisVerdict::kCertain);
  EXPECT_EQ(decided(evidence, "the generator restarted"), HypothesisVerdict::kRefuted);
}

TEST(SequenceEvidence, ARecordingOfAPartOrOfFewReadsDecidesNoMoreThanItShows) {
  const SequenceEvidence evidence = examine(uniform_pages(20'000, kPages, 1));
  EXPECT_EQ(decided(evidence, "independent uniform", 0.1), HypothesisVerdict::kConsistent);
  EXPECT_EQ(decided(evidence, "the generator restarted", 0.1), HypothesisVerdict::kUndecided);
  const SequenceEvidence few = examine(uniform_pages(100, kPages, 1));
  EXPECT_EQ(decided(few, "independent uniform"), HypothesisVerdict::kUndecided);
}

TEST(SequenceEvidence, ReadsOfSeveralDevicesAreRefused) {
  std::vector<IoRecord> records(2);
  records[1].device = 1;
  MemoryTrace trace{std::move(records), tables_of({"sda", "sdb"})};
  EXPECT_THROW((void)examine_sequence(trace, kOptions), Error);
}

TEST(SequenceEvidence, AShorterSpanAndCoarseOffsetsAreCertain) {
  const SequenceEvidence half = examine(uniform_pages(50'000, kPages / 2, 1));
  EXPECT_LT(half.chi_square_p, 1e-9);
  EXPECT_EQ(decided(half, "a span smaller"), HypothesisVerdict::kCertain);
  EXPECT_EQ(decided(half, "independent uniform"), HypothesisVerdict::kRefuted);
  std::vector<std::uint64_t> coarse = uniform_pages(50'000, kPages / 128, 1);
  for (std::uint64_t& page : coarse) page *= 128;
  const SequenceEvidence evidence = examine(coarse);
  EXPECT_EQ(evidence.granularity_bytes, 128 * kPage);
  EXPECT_EQ(decided(evidence, "a generator of short period"), HypothesisVerdict::kCertain);
}

TEST(SequenceEvidence, SequentialReadsAreNotIndependent) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t i = 0; i < 100'000; ++i) pages.push_back(i * 10);
  const SequenceEvidence evidence = examine(pages);
  EXPECT_GT(evidence.serial_correlation, 0.99);
  EXPECT_EQ(decided(evidence, "independent uniform"), HypothesisVerdict::kRefuted);
}

TEST(SequenceEvidence, ATraceWithoutReadsIsRefused) {
  MemoryTrace trace{{}};
  EXPECT_THROW((void)examine_sequence(trace, kOptions), Error);
}

}  // namespace
}  // namespace rigel
