#include "model/array/resident_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace rigel {
namespace {

TEST(ResidentSet, LruEvictsWhatWasUsedLongestAgo) {
  ResidentSet set{2, true};
  EXPECT_FALSE(set.add(1, false).any);
  EXPECT_FALSE(set.add(2, false).any);
  EXPECT_TRUE(set.use(1, false));
  const auto evicted = set.add(3, false);
  EXPECT_TRUE(evicted.any);
  EXPECT_EQ(evicted.page, 2U);
  EXPECT_FALSE(set.use(2, false));
}

TEST(ResidentSet, FifoEvictsWhatCameFirst) {
  ResidentSet set{2, false};
  set.add(1, false);
  set.add(2, false);
  EXPECT_TRUE(set.use(1, false));
  EXPECT_EQ(set.add(3, false).page, 1U);
}

TEST(ResidentSet, DirtyPagesAreCountedAndReportedWhenTheyLeave) {
  ResidentSet set{2, true};
  set.add(1, true);
  set.add(2, false);
  EXPECT_TRUE(set.use(2, true));
  EXPECT_EQ(set.dirty_pages(), 2U);
  set.mark_clean(2);
  EXPECT_FALSE(set.is_dirty(2));
  EXPECT_TRUE(set.is_dirty(1));
  EXPECT_TRUE(set.add(3, false).dirty);
  EXPECT_EQ(set.dirty_pages(), 0U);
  set.mark_clean(1);  // gone already
  EXPECT_EQ(set.dirty_pages(), 0U);
}

TEST(ResidentSet, NothingStaysWhereThereIsNoRoom) {
  ResidentSet set{0, true};
  EXPECT_FALSE(set.add(1, true).any);
  EXPECT_FALSE(set.use(1, false));
  EXPECT_EQ(set.size(), 0U);
}

TEST(ResidentSet, BehavesAsAListOfPagesByRecency) {
  // The same thing done the slow way: a list, searched from the front.
  ResidentSet set{500, true};
  std::list<std::uint64_t> list;
  std::mt19937_64 random{9};
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t page = random() % 1500 * 0x10001;
    const auto at = std::find(list.begin(), list.end(), page);
    ASSERT_EQ(set.use(page, false), at != list.end());
    if (at != list.end()) {
      list.erase(at);
    } else {
      const auto evicted = set.add(page, false);
      ASSERT_EQ(evicted.any, list.size() == 500);
      if (evicted.any) {
        ASSERT_EQ(evicted.page, list.back());
        list.pop_back();
      }
    }
    list.push_front(page);
  }
}

}  // namespace
}  // namespace rigel
