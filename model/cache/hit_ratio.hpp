// How often a cache hits, counted the three ways that people mean: by page (every page a request
// touches is one access), by request (a hit when all its pages hit), by byte; reads and writes
// apart. Plain data; no errors. Counts are doubles because sampled ones are estimates; whole
// numbers stay exact up to 2^53.
#pragma once

#include <array>
#include <cstddef>

#include "model/cache/page_stream.hpp"

namespace rigel {

struct AccessCounts {
  // [0] reads, [1] writes
  std::array<double, 2> pages{};
  std::array<double, 2> requests{};
  std::array<double, 2> bytes{};

  void add_page(PageAccess access) {
    pages[access.write() ? 1 : 0] += 1;
    bytes[access.write() ? 1 : 0] += access.bytes();
  }
  void add_request(PageAccess last) { requests[last.write() ? 1 : 0] += 1; }

  // Applies op(mine, theirs) to every count.
  template <typename Op>
  void combine(const AccessCounts& other, Op op) {
    for (std::size_t i = 0; i < 2; ++i) {
      pages[i] = op(pages[i], other.pages[i]);
      requests[i] = op(requests[i], other.requests[i]);
      bytes[i] = op(bytes[i], other.bytes[i]);
    }
  }
  AccessCounts& operator+=(const AccessCounts& other) {
    combine(other, [](double a, double b) { return a + b; });
    return *this;
  }
  [[nodiscard]] double all_pages() const { return pages[0] + pages[1]; }
};

// NaN where there is nothing to be hit: no accesses, no writes, nothing after the warm-up.
struct HitRatios {
  double page = 0;
  double read_page = 0;
  double write_page = 0;
  double request = 0;
  double read_request = 0;
  double write_request = 0;
  double byte = 0;
};
[[nodiscard]] HitRatios hit_ratios(const AccessCounts& hits, const AccessCounts& total);

}  // namespace rigel
