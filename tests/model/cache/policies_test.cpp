// Policies against figures from elsewhere: independent programs and the policies' own papers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "model/cache/cache_simulator.hpp"
#include "tests/model/cache/memory_trace.hpp"

namespace rigel::test {
namespace {

double hit_ratio(const std::string& trace, std::uint32_t page_bytes, const std::string& policy,
                 std::uint32_t capacity_pages) {
  const std::unique_ptr<CacheSimulator> cache = find_policy(policy).make(capacity_pages);
  for_each_block(real_trace(trace), {.page_bytes = page_bytes},
                 [&](const PageBlock& block) { cache->add(block); });
  cache->finish([] { return true; });
  return hit_ratios(cache->tally().hits(), cache->tally().total()).page;
}

class ReferenceTest : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceTest, HitRatiosAreThoseOfTheIndependentProgram) {
  const std::vector<ReferenceHitRatio> rows = reference_hit_ratios(GetParam());
  ASSERT_FALSE(rows.empty());
  for (const ReferenceHitRatio& row : rows) {
    const double ratio = hit_ratio(row.trace, row.page_bytes, row.policy, row.capacity_pages);
    EXPECT_EQ(fmt::format("{:.4f}", ratio), fmt::format("{:.4f}", row.hit_ratio))
        << row.trace << " at " << row.capacity_pages;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ReferenceTest,
                         testing::Values("lru", "fifo", "clock", "sieve", "arc", "2q", "s3fifo"),
                         [](const auto& test) { return std::string{test.param}; });

// The OLTP table of the ARC paper (FAST 2003), in percent, for caches of 1000, 2000, 5000, 10000
// and 15000 pages. Where it is not followed:
// - 2Q: the paper tuned its queue sizes a little.
// - LIRS at 5000 pages: printed as 47.14, but the LIRS authors' own program gives 482,692 hits,
//   52.80, and the printed figures at the other four sizes.
// - LRU-2: the paper's had a correlated reference period chosen for the trace. With none, as here,
//   1000 pages hit 33.80; with 100 accesses 38.46, with 200 40.05; printed is 39.30.
// - LFU: printed is 27.98 at 1000 pages, without saying what becomes of a count on eviction. Counts
//   that are kept, as here, give 31.09; counts that start anew 13.83 (as libCacheSim has it).
struct PublishedRow {
  const char* policy;
  double tolerance;
  std::array<double, 5> percent;
};

void PrintTo(const PublishedRow& row, std::ostream* to) {
  *to << row.policy;
}

class ArcPaperTest : public testing::TestWithParam<PublishedRow> {};

TEST_P(ArcPaperTest, HitRatiosOnOltpAreThePublishedOnes) {
  static constexpr std::array<std::uint32_t, 5> kSizes{1000, 2000, 5000, 10000, 15000};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    EXPECT_NEAR(100 * hit_ratio("arc_OLTP", 4096, GetParam().policy, kSizes[i]),
                GetParam().percent[i], GetParam().tolerance)
        << kSizes[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Oltp, ArcPaperTest,
    testing::Values(PublishedRow{"lru", 0.01, {32.83, 42.47, 53.65, 60.70, 64.63}},
                    PublishedRow{"arc", 0.02, {38.93, 46.08, 55.25, 61.87, 65.40}},
                    PublishedRow{"lirs", 0.01, {34.80, 42.51, 52.80, 60.35, 63.99}},
                    PublishedRow{"2q", 0.11, {40.48, 46.53, 55.70, 62.58, 65.82}},
                    PublishedRow{"opt", 0.01, {53.61, 60.40, 68.27, 73.02, 75.13}}),
    [](const auto& test) { return std::string{test.param.policy}; });

// The paper's comparison over all its traces has P3 at 32768 pages (16 MiB of 512 bytes).
TEST(ArcPaper, HitRatiosOnP3AreThePublishedOnes) {
  EXPECT_NEAR(100 * hit_ratio("arc_P3", 4096, "lru", 32768), 3.57, 0.01);
  EXPECT_NEAR(100 * hit_ratio("arc_P3", 4096, "arc", 32768), 17.12, 0.02);
}

// Hits of the LIRS authors' own program (github.com/zhongch4g/LIRS2, "lirs") on their traces, in
// caches of 200, 400, 600 and 1000 pages. It passes over a reference to the page that was just
// referenced, so such are left out here too; and it keeps at least 2 pages for HIR blocks, where
// the paper asks for 1 % alone, so smaller caches are not compared.
struct AuthorsRow {
  const char* trace;
  std::array<double, 4> hits;
};

void PrintTo(const AuthorsRow& row, std::ostream* to) {
  *to << row.trace;
}

class LirsAuthorsTest : public testing::TestWithParam<AuthorsRow> {};

TEST_P(LirsAuthorsTest, HitsAreThoseOfTheAuthorsProgram) {
  static constexpr std::array<std::uint32_t, 4> kSizes{200, 400, 600, 1000};
  std::vector<IoRecord> records = real_trace(GetParam().trace);
  const auto same_page = [](const IoRecord& a, const IoRecord& b) {
    return a.offset_bytes == b.offset_bytes;
  };
  records.erase(std::unique(records.begin(), records.end(), same_page), records.end());
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const std::unique_ptr<CacheSimulator> cache = find_policy("lirs").make(kSizes[i]);
    for_each_block(records, {.page_bytes = 4096},
                   [&](const PageBlock& block) { cache->add(block); });
    EXPECT_EQ(cache->tally().hits().all_pages(), GetParam().hits[i]) << kSizes[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, LirsAuthorsTest,
                         testing::Values(AuthorsRow{"lirs_cs", {781, 1567, 2359, 3936}},
                                         AuthorsRow{"lirs_cpp", {7609, 7732, 7782, 7805}},
                                         AuthorsRow{"lirs_2_pools", {50401, 51438, 52419, 54392}},
                                         AuthorsRow{"lirs_sprite", {55996, 89213, 104439, 113455}},
                                         AuthorsRow{"lirs_multi1", {7575, 8392, 9202, 10815}},
                                         AuthorsRow{"lirs_zigzag", {25, 75, 125, 225}},
                                         AuthorsRow{"lirs_loop", {98802, 197604, 296406, 494010}}),
                         [](const auto& test) { return std::string{test.param.trace}; });

}  // namespace
}  // namespace rigel::test
