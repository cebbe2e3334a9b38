#include "model/cache/miss_ratio_curve.hpp"

#include <algorithm>

namespace rigel {

MissRatioCurve::MissRatioCurve(DistanceBins bins, std::vector<AccessCounts> histogram,
                               const AccessCounts& cold, double distinct_pages)
    : bins_{std::move(bins)},
      hits_below_{std::move(histogram)},
      cold_{cold},
      distinct_pages_{distinct_pages} {
  AccessCounts sum;
  hits_below_.emplace_back();
  for (AccessCounts& counts : hits_below_) {
    const AccessCounts in_bin = counts;
    counts = sum;
    sum += in_bin;
  }
  total_ = hits_below_.back();
  total_ += cold_;
}

AccessCounts MissRatioCurve::hits(std::uint64_t cache_pages) const {
  const std::size_t bin = bins_.index(cache_pages);
  if (bin + 1 >= hits_below_.size()) return hits_below_.back();
  const DistanceBins::Range range = bins_.range_around(cache_pages);
  const double share =
      static_cast<double>(cache_pages - range.begin) / static_cast<double>(range.end - range.begin);
  AccessCounts result = hits_below_[bin];
  result.combine(hits_below_[bin + 1], [share](double a, double b) { return a + share * (b - a); });
  return result;
}

std::uint64_t MissRatioCurve::pages_for_share(double share) const {
  const double wanted = share * hits_below_.back().all_pages();
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << 62;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (hits(middle).all_pages() >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace rigel
