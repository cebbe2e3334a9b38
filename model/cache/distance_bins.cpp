#include "model/cache/distance_bins.hpp"

namespace rigel {

DistanceBins::DistanceBins(std::vector<std::uint64_t> sizes_pages, unsigned exact_bits)
    : exact_bits_{exact_bits}, extra_edges_{std::move(sizes_pages)} {
  std::erase_if(extra_edges_, [this](std::uint64_t size) {
    return (size >> shift_of(size)) << shift_of(size) == size;
  });
  std::sort(extra_edges_.begin(), extra_edges_.end());
  extra_edges_.erase(std::unique(extra_edges_.begin(), extra_edges_.end()), extra_edges_.end());
}

DistanceBins::Range DistanceBins::range_around(std::uint64_t distance) const {
  const unsigned shift = shift_of(distance);
  Range range{.begin = (distance >> shift) << shift, .end = 0};
  range.end = range.begin + (std::uint64_t{1} << shift);
  for (const std::uint64_t edge : extra_edges_) {
    if (edge <= distance) range.begin = std::max(range.begin, edge);
    if (edge > distance) range.end = std::min(range.end, edge);
  }
  return range;
}

std::uint64_t DistanceBins::begin_of(std::size_t bin) const {
  const unsigned per_doubling_bits = exact_bits_ - 1;
  const std::size_t shift = bin >> exact_bits_ == 0 ? 0 : (bin >> per_doubling_bits) - 1;
  return static_cast<std::uint64_t>(bin - (shift << per_doubling_bits)) << shift;
}

}  // namespace rigel
