// Policies against figures from elsewhere: independent programs and the policies' own papers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/cache/cache_simulator.hpp"
#include "tests/model/cache/memory_trace.hpp"

namespace rigel::test {
namespace {

double hit_ratio(const std::string& trace, std::uint32_t page_bytes, const std::string& policy,
                 std::uint32_t capacity_pages) {
  const std::unique_ptr<CacheSimulator> cache = find_policy(policy).make(capacity_pages);
  for_each_block(real_trace(trace), {.page_bytes = page_bytes},
                 [&](const PageBlock& block) { cache->add(block); });
  cache->finish();
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

}  // namespace
}  // namespace rigel::test
