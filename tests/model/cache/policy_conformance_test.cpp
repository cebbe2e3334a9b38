// What every policy must keep, whatever it evicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "model/cache/cache_simulator.hpp"
#include "model/cache/policy_2q.hpp"
#include "model/cache/policy_arc.hpp"
#include "model/cache/policy_clock.hpp"
#include "model/cache/policy_fifo.hpp"
#include "model/cache/policy_lfu.hpp"
#include "model/cache/policy_lirs.hpp"
#include "model/cache/policy_lru.hpp"
#include "model/cache/policy_lru2.hpp"
#include "model/cache/policy_s3fifo.hpp"
#include "model/cache/policy_sieve.hpp"
#include "model/cache/policy_slru.hpp"
#include "model/cache/policy_wtinylfu.hpp"
#include "tests/model/cache/memory_trace.hpp"

namespace rigel::test {
namespace {

constexpr std::uint32_t kPages = 300;

// Hot pages, cold ones, and now and then a scan of all.
std::vector<std::uint64_t> mixed_accesses(unsigned seed, std::size_t count) {
  std::mt19937 random{seed};
  std::vector<std::uint64_t> pages;
  while (pages.size() < count) {
    if (random() % 500 == 0) {
      for (std::uint32_t page = 0; page < kPages; ++page) pages.push_back(page);
    }
    pages.push_back(std::min({random() % kPages, random() % kPages, random() % kPages}));
  }
  return pages;
}

template <typename Policy>
class PolicyConformance : public testing::Test {};

using Policies =
    testing::Types<LruPolicy, FifoPolicy, ClockPolicy, LfuPolicy, TwoQueuePolicy, SlruPolicy,
                   ArcPolicy, LirsPolicy, Lru2Policy, S3FifoPolicy, SievePolicy, WTinyLfuPolicy>;
struct PolicyNames {
  template <typename Policy>
  static std::string GetName(int) {
    return std::string{Policy::kName};
  }
};
TYPED_TEST_SUITE(PolicyConformance, Policies, PolicyNames);

TYPED_TEST(PolicyConformance, NeverHoldsMoreThanItsCapacityAndHitsOnlyWhatItHolds) {
  for (const std::uint32_t capacity : {1U, 2U, 3U, 7U, 10U, 64U, 200U, 299U}) {
    TypeParam policy{capacity};
    policy.grow(kPages);
    std::set<PageId> held;  // came in, and was not said to have left
    std::size_t step = 0;
    for (const std::uint64_t access : mixed_accesses(capacity, 6000)) {
      const auto page = static_cast<PageId>(access);
      const bool was_resident = policy.resident(page);
      const bool hit =
          policy.access(page, [&](PageId evicted) { ASSERT_EQ(held.erase(evicted), 1U); });
      ASSERT_EQ(hit, was_resident) << capacity << " pages, step " << step;
      held.insert(page);
      ASSERT_TRUE(policy.resident(page)) << capacity << " pages, step " << step;
      ASSERT_LE(policy.size(), capacity);
      if (++step % 50 != 0) continue;
      for (PageId p = 0; p < kPages; ++p) {
        ASSERT_EQ(policy.resident(p), held.count(p) == 1) << capacity << " pages, step " << step;
      }
      ASSERT_EQ(held.size(), policy.size()) << capacity << " pages, step " << step;
    }
  }
}

TYPED_TEST(PolicyConformance, KeepsEverythingThatFits) {
  TypeParam policy{kPages};
  policy.grow(kPages);
  for (int round = 0; round < 3; ++round) {
    for (PageId page = 0; page < kPages; ++page) {
      EXPECT_EQ(policy.access(page, [](PageId) { FAIL(); }), round > 0);
    }
  }
}

TYPED_TEST(PolicyConformance, UsesAllItsCapacity) {
  TypeParam policy{100};
  policy.grow(kPages);
  for (PageId page = 0; page < 200; ++page) policy.access(page, [](PageId) {});
  EXPECT_EQ(policy.size(), 100U);
}

// The same from the table: in bytes, in any unit of page, all at once or growing page by page.
class RegisteredPolicy : public testing::TestWithParam<std::string_view> {
 protected:
  static double hits(std::string_view policy, std::uint32_t capacity,
                     const std::vector<IoRecord>& records, const PageStreamOptions& options) {
    const std::unique_ptr<CacheSimulator> cache = find_policy(policy).make(capacity);
    for_each_block(records, options, [&](const PageBlock& block) { cache->add(block); });
    cache->finish([] { return true; });
    return cache->tally().hits().all_pages();
  }
};

TEST_P(RegisteredPolicy, DecidesTheSameWhateverThePageSize) {
  const std::vector<std::uint64_t> pages = mixed_accesses(3, 20000);
  for (const std::uint32_t capacity : {1U, 20U, 150U}) {
    std::vector<double> found;
    for (const std::uint32_t page_bytes : {512U, 4096U, 57344U, 1U << 20}) {
      std::vector<IoRecord> records;
      for (const std::uint64_t page : pages) records.push_back(read_of(page * page_bytes, 512));
      found.push_back(hits(GetParam(), capacity, records, {.page_bytes = page_bytes}));
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), found.front()), 4) << capacity;
  }
}

TEST_P(RegisteredPolicy, DecidesTheSameWhereverBlocksEnd) {
  const std::vector<IoRecord> records = reads_of_pages(mixed_accesses(4, 10000));
  const double whole =
      hits(GetParam(), 50, records, {.page_bytes = 4096, .block_accesses = 1U << 20});
  EXPECT_EQ(hits(GetParam(), 50, records, {.page_bytes = 4096, .block_accesses = 7}), whole);
}

TEST_P(RegisteredPolicy, NeverBeatsTheBound) {
  for (const char* name :
       {"lirs_2_pools", "lirs_cs", "lirs_multi1", "lirs_sprite", "lirs_zigzag"}) {
    for (const std::uint32_t capacity : {10U, 100U, 500U, 1000U}) {
      const PageStreamOptions options{.page_bytes = 4096};
      EXPECT_LE(hits(GetParam(), capacity, real_trace(name), options),
                hits("opt", capacity, real_trace(name), options))
          << name << " at " << capacity;
    }
  }
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const PolicyEntry& entry : policies()) result.push_back(entry.name);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Table, RegisteredPolicy, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string{test.param}; });

// Belady by its definition: look ahead for every resident page.
TEST(OptSimulator, EvictsWhatIsNeededLast) {
  const std::vector<std::uint64_t> pages = mixed_accesses(5, 1500);
  for (const std::uint32_t capacity : {1U, 2U, 30U, 120U}) {
    std::vector<std::uint64_t> resident;
    double expected = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (std::count(resident.begin(), resident.end(), pages[i]) != 0) {
        ++expected;
        continue;
      }
      if (resident.size() == capacity) {
        const auto here = pages.begin() + static_cast<std::ptrdiff_t>(i);
        resident.erase(std::max_element(
            resident.begin(), resident.end(), [&](std::uint64_t a, std::uint64_t b) {
              return std::find(here, pages.end(), a) < std::find(here, pages.end(), b);
            }));
      }
      resident.push_back(pages[i]);
    }
    const std::unique_ptr<CacheSimulator> opt = find_policy("opt").make(capacity);
    for_each_block(reads_of_pages(pages), {.page_bytes = 4096},
                   [&](const PageBlock& block) { opt->add(block); });
    opt->finish([] { return true; });
    EXPECT_EQ(opt->tally().hits().all_pages(), expected) << capacity;
  }
}

TEST(HitTally, ARequestHitsWhenAllItsPagesDo) {
  HitTally tally;
  tally.note({4096, false, false}, true);
  tally.note({512, false, true}, false);
  tally.note({4096, true, false}, true);
  tally.note({4096, true, true}, true);
  const HitRatios ratios = hit_ratios(tally.hits(), tally.total());
  EXPECT_DOUBLE_EQ(ratios.request, 0.5);
  EXPECT_DOUBLE_EQ(ratios.read_request, 0);
  EXPECT_DOUBLE_EQ(ratios.write_request, 1);
  EXPECT_DOUBLE_EQ(ratios.page, 0.75);
}

}  // namespace
}  // namespace rigel::test
