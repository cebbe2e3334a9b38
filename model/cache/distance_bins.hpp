// Bins for stack distances: one for each distance below 2^16, then 2^15 to every doubling (3 parts
// in 100,000 wide), with further edges at the sizes one asks about. So a histogram takes at most
// 28 MiB however large the caches, and counts are exact at every size asked about and at every
// size of at most 16 significant bits. With fewer bits it is as much smaller, and coarser.
// Plain value; no errors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rigel {

class DistanceBins {
 public:
  static constexpr unsigned kExactBits = 16;

  DistanceBins() = default;
  // `sizes_pages` become edges. Distances below 2^exact_bits have a bin each.
  explicit DistanceBins(std::vector<std::uint64_t> sizes_pages, unsigned exact_bits = kExactBits);

  [[nodiscard]] std::size_t index(std::uint64_t distance) const {
    std::size_t bin = plain_index(distance);
    for (const std::uint64_t edge : extra_edges_) {
      if (edge > distance) break;
      ++bin;
    }
    return bin;
  }

  // More than any index().
  [[nodiscard]] std::size_t size() const {
    return plain_index(~std::uint64_t{0}) + 1 + extra_edges_.size();
  }

  struct Range {
    std::uint64_t begin = 0;  // the bin holds begin <= distance < end
    std::uint64_t end = 0;
  };
  [[nodiscard]] Range range_around(std::uint64_t distance) const;
  // The smallest distance in a bin of bins without further edges.
  [[nodiscard]] std::uint64_t begin_of(std::size_t bin) const;

 private:
  [[nodiscard]] unsigned shift_of(std::uint64_t distance) const {
    const auto width = static_cast<unsigned>(std::bit_width(distance));
    return width > exact_bits_ ? width - exact_bits_ : 0;
  }
  [[nodiscard]] std::size_t plain_index(std::uint64_t distance) const {
    const unsigned shift = shift_of(distance);
    return (distance >> shift) + (static_cast<std::size_t>(shift) << (exact_bits_ - 1));
  }

  unsigned exact_bits_ = kExactBits;
  std::vector<std::uint64_t> extra_edges_;  // sorted; only those that are no edges anyway
};

}  // namespace rigel
