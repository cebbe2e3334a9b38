#include "traces/footprint.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rigel {
namespace {

TEST(PageSet, CountsWhatASetCounts) {
  std::mt19937_64 random{3};
  PageSet set;
  PageSet other;
  std::set<std::uint64_t> expected;
  std::set<std::uint64_t> both;
  for (int i = 0; i < 3000; ++i) {
    // Around the border of two 32-bit chunks too.
    const std::uint64_t first =
        (random() % 2 == 0 ? 0 : (std::uint64_t{1} << 32) - 5000) + random() % 10'000;
    const PageRange pages{first, first + 1 + random() % 40};
    const bool to_set = random() % 2 == 0;
    (to_set ? set : other).add(pages);
    for (std::uint64_t page = pages.first; page < pages.end; ++page) {
      if (to_set) expected.insert(page);
      both.insert(page);
    }
  }
  EXPECT_EQ(set.count(), expected.size());
  EXPECT_EQ(set.count_union(other), both.size());
  EXPECT_EQ(other.count_union(set), both.size());
  EXPECT_EQ(PageSet{}.count(), 0U);
}

PageAccesses random_reads(std::uint64_t blocks, std::uint64_t count, std::uint32_t block_bytes) {
  std::mt19937_64 random{17};
  PageAccesses accesses;
  for (std::uint64_t i = 0; i < count; ++i) {
    accesses.add(random() % blocks * block_bytes, block_bytes, 4096);
  }
  return accesses;
}

TEST(Reuse, AUniformRandomLoadIsWithinTheInterval) {
  const Reuse reuse = reuse_of(random_reads(20'000, 30'000, 8192), 4096);
  EXPECT_EQ(reuse.accesses, 60'000U);
  const UniformInterval interval = reuse.uniform_interval();
  EXPECT_GT(reuse.ratio(), interval.low);
  EXPECT_LT(reuse.ratio(), interval.high);
  // n = 30,000 draws over N = 20,000 blocks: distinct N(1 - e^-1.5) = 15,537.4.
  EXPECT_NEAR(reuse.uniform_distinct / 2, 15'537.4, 1.5);
  EXPECT_LT(interval.high - interval.low, 0.02);
}

TEST(Reuse, ALoadThatReturnsToAHotTenthIsOutsideOfIt) {
  PageAccesses accesses = random_reads(20'000, 15'000, 8192);
  std::mt19937_64 random{18};
  for (int i = 0; i < 15'000; ++i) accesses.add(random() % 2'000 * 8192, 8192, 4096);
  const Reuse reuse = reuse_of(accesses, 4096);
  EXPECT_GT(reuse.ratio(), reuse.uniform_interval().high);
}

TEST(Reuse, AScanIsBelowIt) {
  PageAccesses accesses;
  for (std::uint64_t i = 0; i < 10'000; ++i) accesses.add(i * 8192, 8192, 4096);
  const Reuse reuse = reuse_of(accesses, 4096);
  EXPECT_EQ(reuse.ratio(), 0);
  EXPECT_GT(reuse.uniform_interval().low, 0.3);  // 1 - (1 - 1/e) = 0.37
}

TEST(PageAccesses, SpanAndAlignmentAreThoseOfTheRequests) {
  PageAccesses accesses;
  accesses.add(1 << 20, 8192, 4096);
  accesses.add(3 << 20, 16384, 4096);
  EXPECT_EQ(accesses.alignment_bytes, 8192U);
  EXPECT_EQ(accesses.span.first, 256U);
  EXPECT_EQ(accesses.span.end, 772U);
  accesses.add(0, 512, 4096);
  EXPECT_EQ(accesses.alignment_bytes, 512U);
  EXPECT_EQ(accesses.span.first, 0U);
}

}  // namespace
}  // namespace rigel
