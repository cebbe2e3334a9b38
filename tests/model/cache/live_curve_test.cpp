#include "model/cache/live_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "capture/block_trace.h"
#include "tests/model/cache/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel::test {
namespace {

constexpr std::uint32_t kPage = 4096;

// What a filter near the source does: it counts everything and holds back requests none of whose
// pages is below the threshold, which it learns only now and then.
class Filter {
 public:
  explicit Filter(LiveCurve& live, std::uint64_t seed = 0)
      : live_{live}, seed_{seed}, threshold_{live.threshold()} {}

  void see(const IoRecord& record) {
    const std::size_t write = record.op == IoOp::kWrite ? 1 : 0;
    const std::uint64_t first = record.offset_bytes / kPage;
    const std::uint64_t last = (record.offset_bytes + record.length_bytes - 1) / kPage;
    total_.pages[write] += static_cast<double>(last - first + 1);
    total_.bytes[write] += record.length_bytes;
    bool passes = false;
    for (std::uint64_t page = first; page <= last; ++page) {
      passes = passes || LiveCurve::hash(0, page, seed_) < threshold_;
    }
    if (passes) live_.add(0, record.offset_bytes, record.length_bytes, write == 1);
    passed_ += passes ? 1 : 0;
    if (++seen_ % 1000 == 0) threshold_ = live_.threshold();
  }
  [[nodiscard]] const AccessCounts& total() const { return total_; }
  [[nodiscard]] std::size_t passed() const { return passed_; }

 private:
  LiveCurve& live_;
  std::uint64_t seed_;
  std::uint64_t threshold_;
  AccessCounts total_;
  std::size_t seen_ = 0;
  std::size_t passed_ = 0;
};

MissRatioCurve exact_curve(const std::vector<IoRecord>& records) {
  LruCurve lru{{}};
  for_each_block(records, {.page_bytes = kPage}, [&](const PageBlock& block) { lru.add(block); });
  return lru.curve();
}

TEST(LiveCurve, FollowsALowerAndLowerThreshold) {
  const std::vector<IoRecord>& records = real_trace("cloudPhysicsIO");
  const MissRatioCurve exact = exact_curve(records);
  LiveCurve live{{.page_bytes = kPage, .max_pages = 20'000}};
  Filter filter{live};
  for (const IoRecord& record : records) filter.see(record);
  EXPECT_LT(filter.passed(), records.size());  // the filter did hold some back
  EXPECT_LT(live.rate(), 0.1);                 // of 269,210 pages at most 20,000
  const SampledCurve curve = live.curve(filter.total());
  EXPECT_EQ(curve.total().all_pages(), 1'141'869);
  EXPECT_NEAR(curve.distinct_pages(), 269'210, 0.03 * 269'210);
  double error = 0;
  for (int step = 1; step <= 100; ++step) {
    const auto size = static_cast<std::uint64_t>(2692 * step);
    const EstimatedRatios at = curve.at(size);
    error += std::abs(at.mean.page - exact.at(size).page) / 100;
    EXPECT_LE(at.low, at.mean.page);
    EXPECT_GE(at.high, at.mean.page);
    EXPECT_GE(at.low, 0);
    EXPECT_LE(at.high, 1);
  }
  EXPECT_LT(error, 0.02);
}

// The interval's promise, over 20 seeds. Sizes below some hundred sampled pages an eighth are not
// what a sample can tell.
TEST(LiveCurve, IntervalsCoverTheExactValueAsOftenAsTheySay) {
  const std::vector<IoRecord>& records = real_trace("lirs_sprite");
  const MissRatioCurve exact = exact_curve(records);
  int covered = 0;
  int all = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    LiveCurve live{{.page_bytes = kPage, .max_pages = 4000, .seed = seed}};
    Filter filter{live, seed};
    for (const IoRecord& record : records) filter.see(record);
    const SampledCurve curve = live.curve(filter.total());
    for (const std::uint64_t size : {800U, 1500U, 3000U, 5000U}) {
      const EstimatedRatios at = curve.at(size);
      covered += at.low <= exact.at(size).page && exact.at(size).page <= at.high ? 1 : 0;
      EXPECT_LT(at.high - at.low, 0.1) << size;  // what covers everything says nothing
      ++all;
    }
  }
  EXPECT_GE(covered, 0.88 * all);  // 95 %, of 80 that are not independent within a seed
}

TEST(LiveCurve, CanBeAskedAtAnyMoment) {
  LiveCurve live{{.page_bytes = kPage}};
  AccessCounts total;
  EXPECT_TRUE(std::isnan(live.curve(total).at(10).mean.page));
  for (int round = 1; round <= 3; ++round) {
    for (std::uint64_t page = 0; page < 1000; ++page) {
      live.add(0, page * kPage, kPage, false);
      total.pages[0] += 1;
      total.bytes[0] += kPage;
    }
    // A loop: it hits when it fits, but for the first round. Of 1000 pages an eighth of the sample
    // may hold some 10 too many or too few.
    const SampledCurve curve = live.curve(total);
    EXPECT_EQ(curve.distinct_pages(), 1000);
    EXPECT_NEAR(curve.at(1500).mean.page, (round - 1.0) / round, 0.04);
    EXPECT_NEAR(curve.at(600).mean.page, 0, 0.05);
  }
}

TEST(LiveCurve, LooksAgainAtWhatTheFilterLetThrough) {
  LiveCurve all{{.page_bytes = kPage, .rate = 0.25}};
  LiveCurve thinned{{.page_bytes = kPage, .rate = 0.25}};
  AccessCounts total;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t page = static_cast<std::uint64_t>(i * i) % 997;
    total.pages[0] += 1;
    all.add(0, page * kPage, kPage, false);
    if (LiveCurve::hash(0, page, 0) < thinned.threshold()) {
      thinned.add(0, page * kPage, kPage, false);
    }
  }
  EXPECT_EQ(all.curve(total).at(200).mean.page, thinned.curve(total).at(200).mean.page);
}

TEST(LiveCurve, SamplesByTheHashOfTheRecordersKernelSide) {
  static_assert(RIGEL_PAGE_NUMBER_BITS == kPageNumberBits);
  for (std::uint64_t page = 1; page < std::uint64_t{1} << kPageNumberBits; page = page * 3 + 1) {
    for (const std::uint32_t space : {0U, 1U, kMaxDevices - 1}) {
      EXPECT_EQ(rigel_page_hash(space, page), LiveCurve::hash(space, page, 0)) << page;
    }
  }
  EXPECT_LT(rigel_unknown_space(0xffffffff), kMaxDevices);
}

TEST(LiveCurve, PassesOverWhatHasNoPlace) {
  LiveCurve live{{.page_bytes = kPage}};
  live.add(0, 0, 0, false);
  live.add(0, ~std::uint64_t{0}, kPage, false);
  live.add(0, std::uint64_t{1} << 62, kPage, false);
  live.add(kMaxDevices, 0, kPage, false);
  EXPECT_EQ(live.curve({}).distinct_pages(), 0);
}

TEST(LiveCurve, RefusesWhatMakesNoSense) {
  EXPECT_THROW((LiveCurve{{.page_bytes = 1000}}), UsageError);
  EXPECT_THROW((LiveCurve{{.max_pages = 0}}), UsageError);
  EXPECT_THROW((LiveCurve{{.rate = 0}}), UsageError);
  EXPECT_THROW((LiveCurve{{.rate = std::nan("")}}), UsageError);
}

}  // namespace
}  // namespace rigel::test
