#include "traces/page_permutation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rigel {
namespace {

PagePermutation::Key key_of(unsigned char seed) {
  PagePermutation::Key key{};
  key.fill(seed);
  return key;
}

TEST(PagePermutation, EveryPageHasExactlyOneImageWhateverTheNumberOfPages) {
  for (const std::uint64_t pages : {1U, 2U, 3U, 4U, 5U, 31U, 32U, 33U, 1000U, 65537U}) {
    const PagePermutation permuted{key_of(7), pages};
    std::vector<bool> hit(pages);
    for (std::uint64_t page = 0; page < pages; ++page) {
      const std::uint64_t image = permuted(page);
      ASSERT_LT(image, pages);
      ASSERT_FALSE(hit[image]) << image << " of " << pages;
      hit[image] = true;
    }
  }
}

TEST(PagePermutation, KeysGiveDifferentOrders) {
  const PagePermutation one{key_of(1), 10'000};
  const PagePermutation other{key_of(2), 10'000};
  std::size_t same = 0;
  for (std::uint64_t page = 0; page < 10'000; ++page) same += one(page) == other(page) ? 1 : 0;
  EXPECT_LT(same, 10U);  // 1 expected of two random permutations
}

// Two random permutations of n have a mean distance of n/3 between a page and its image, and
// neighbours land no nearer to each other than strangers do.
TEST(PagePermutation, ImagesTellNothingOfNeighbourhood) {
  constexpr std::uint64_t kPages = 20'000;
  const PagePermutation permuted{key_of(3), kPages};
  double moved = 0;
  double apart = 0;
  for (std::uint64_t page = 0; page + 1 < kPages; ++page) {
    const auto image = static_cast<double>(permuted(page));
    moved += std::abs(image - static_cast<double>(page));
    apart += std::abs(image - static_cast<double>(permuted(page + 1)));
  }
  // |x - y| of two uniform draws has deviation n/sqrt(18); four standard errors are 0.7 %.
  const double third = kPages / 3.0;
  EXPECT_NEAR(moved / (kPages - 1), third, 0.03 * third);
  EXPECT_NEAR(apart / (kPages - 1), third, 0.03 * third);
}

TEST(PagePermutation, LargeDevicesStayInside) {
  const std::uint64_t pages = (std::uint64_t{1} << 52) + 12345;
  const PagePermutation permuted{key_of(9), pages};
  for (std::uint64_t page = 0; page < 1000; ++page) {
    ASSERT_LT(permuted(page), pages);
    ASSERT_LT(permuted(pages - 1 - page), pages);
  }
}

}  // namespace
}  // namespace rigel
