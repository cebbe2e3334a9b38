// The hit ratio of random I/O in closed form: no trace, no simulation.
//
// Requests are independent draws of one page each: uniform over the span, or by Zipf's law, the
// page of rank r being asked for in proportion to r^-alpha. For LRU, Che's approximation (Che,
// Tung, Wang, "Hierarchical web caching systems", IEEE JSAC 20(7), 2002; why it is good: Fricker,
// Robert, Roberts, ITC 24, 2012): a page stays for the time T in which C distinct pages are asked
// for,
//
//   C = sum over pages of 1 - exp(-p T),   hit ratio = sum of p (1 - exp(-p T)).
//
// Uniform: C / span, for any policy that does not know the future. From empty, nothing leaves
// before the cache is full, which is after those T requests; until then the k-th request hits with
// probability sum of p (1 - exp(-p k)).
//
// Ranks are taken one by one up to 4096, then in groups of 0.2 %, so that a span of any size is a
// few thousand terms; that changes the ratio by less than 1e-6. Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace rigel {

class RandomPattern {
 public:
  // alpha 0 is uniform. Throws UsageError for no pages and for an alpha that is not in 0..10.
  explicit RandomPattern(std::uint64_t span_pages, double alpha = 0);

  // Of a full LRU cache of so many pages.
  [[nodiscard]] double hit_ratio(std::uint64_t cache_pages) const;
  // Requests until a cache that was empty is full; infinity when the span fits into it.
  [[nodiscard]] double requests_to_fill(std::uint64_t cache_pages) const;
  // Of the next request, this many after the cache was empty.
  [[nodiscard]] double hit_ratio_after(double requests, std::uint64_t cache_pages) const;
  // Of the first so many requests together, the cache empty at their start.
  [[nodiscard]] double hit_ratio_of_first(double requests, std::uint64_t cache_pages) const;
  // How many requests from empty until the hit ratio is this; it must be below hit_ratio().
  [[nodiscard]] double requests_until(double hit_ratio) const;

 private:
  struct RankGroup {
    double pages = 0;
    double probability = 0;  // of each page
  };

  [[nodiscard]] double distinct_pages(double requests) const;
  [[nodiscard]] double hits_unevicted(double requests) const;

  double span_pages_;
  std::vector<RankGroup> groups_;
};

}  // namespace rigel
