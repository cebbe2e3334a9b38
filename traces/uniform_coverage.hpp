// What a uniformly random generator would have touched: the yardstick for "was it re-reading?".
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace rigel {

struct Coverage {
  double mean_pages = 0;                  // expected number of distinct pages
  std::optional<double> variance_pages2;  // its variance; absent where it would take too long
};

// The distinct pages of a device of `pages` pages after requests that each touch `length`
// consecutive ones, placed uniformly and independently (`requests[length]` of each length).
//
// A page escapes a request of k pages with probability 1 - k/N (the device taken as a ring, so that
// no page is special), hence N (1 - prod (1 - k_i/N)) on average; with k = 1 that is the classical
// occupancy N (1 - (1 - 1/N)^n) of Feller, "An Introduction to Probability Theory and Its
// Applications", vol. 1, IV.2. The variance sums, over all pairs of pages at distance d, the
// probability that both escape, prod (1 - (k_i + min(k_i, d))/N), minus that of independence.
// A pure function, safe from any thread.
[[nodiscard]] Coverage uniform_coverage(std::uint64_t pages,
                                        const std::map<std::uint64_t, std::uint64_t>& requests);

}  // namespace rigel
