// Which pages a trace touches, exactly: a compressed bitmap (Roaring: Lemire et al., "Roaring
// Bitmaps: Implementation of an Optimized Software Library", SPE 2018) of the pages read and one of
// those written, for each device. At most 1 bit a page of the device's size each (32 MiB for
// 1 TiB in 4 KiB pages), and less where the accesses are few or in runs. Not thread safe;
// nothing throws but allocation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "traces/page_pieces.hpp"

namespace rigel {

// A set of 64-bit page numbers.
class PageSet {
 public:
  PageSet();
  ~PageSet();
  PageSet(PageSet&&) noexcept;
  PageSet& operator=(PageSet&&) noexcept;

  void add(PageRange pages);
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::uint64_t count_union(const PageSet& other) const;

 private:
  struct Chunks;  // by the upper 32 bits
  std::unique_ptr<Chunks> chunks_;
};

// Reads (or writes) of one device.
struct PageAccesses {
  PageSet distinct;
  std::uint64_t accesses = 0;                    // a request of n pages is n
  PageRange span;                                // from the first to behind the last page touched
  std::uint64_t alignment_bytes = 0;             // what divides all offsets and lengths
  std::map<std::uint64_t, std::uint64_t> sizes;  // requests by the number of pages they touch

  void add(std::uint64_t offset_bytes, std::uint32_t length_bytes, std::uint64_t page_bytes);
};

// Where 95 % of uniform random loads would be.
struct UniformInterval {
  double low = 0;
  double high = 0;
};

// How much of what was accessed had been accessed before, and how much would have been had the same
// requests been placed uniformly at random over the same span.
struct Reuse {
  std::uint64_t accesses = 0;  // in pages
  std::uint64_t distinct = 0;
  std::uint64_t span = 0;
  double uniform_distinct = 0;   // expected
  double uniform_deviation = 0;  // standard deviation; negative where it is not known

  // The share of page accesses that were not the first to their page.
  [[nodiscard]] double ratio() const { return ratio_of(static_cast<double>(distinct)); }
  [[nodiscard]] double uniform_ratio() const { return ratio_of(uniform_distinct); }
  // Of the reuse ratio; needs a known deviation.
  [[nodiscard]] UniformInterval uniform_interval() const;
  // What ratio() would be, had so many pages been distinct.
  [[nodiscard]] double ratio_of(double distinct_pages) const;
  void add(const Reuse& other);
};

// Requests that all begin and end at multiples of a block larger than the page are compared with
// requests placed at multiples of that block, as the generators of random load do.
[[nodiscard]] Reuse reuse_of(const PageAccesses& accesses, std::uint64_t page_bytes);

}  // namespace rigel
