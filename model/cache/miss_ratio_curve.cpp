#include "model/cache/miss_ratio_curve.hpp"

#include <algorithm>

namespace rigel {

MissRatioCurve::MissRatioCurve(DistanceBins bins, const std::vector<AccessCounts>& histogram,
                               const AccessCounts& cold, double distinct_pages)
    : bins_{std::move(bins)}, cold_{cold}, distinct_pages_{distinct_pages} {
  AccessCounts sum;
  hits_below_.reserve(histogram.size() + 1);
  hits_below_.push_back(sum);
  for (const AccessCounts& in_bin : histogram) hits_below_.push_back(sum += in_bin);
  total_ = sum;
  total_ += cold_;
  estimated_total_ = total_;
}

MissRatioCurve::MissRatioCurve(DistanceBins bins, const std::vector<AccessCounts>& histogram,
                               const AccessCounts& cold, double distinct_pages,
                               const PageSampling& sampling)
    : MissRatioCurve{std::move(bins), histogram, cold, distinct_pages} {
  rate_ = sampling.rate;
  distinct_pages_ /= rate_;
  const auto scale = [this](double count, double) { return count / rate_; };
  for (AccessCounts& counts : hits_below_) counts.combine(counts, scale);
  cold_.combine(cold_, scale);
  estimated_total_.combine(estimated_total_, scale);
  total_ = sampling.total;
}

AccessCounts MissRatioCurve::misses(std::uint64_t cache_pages) const {
  if (cache_pages == 0) return estimated_total_;
  const double distance = static_cast<double>(cache_pages) * rate_;
  const auto whole = static_cast<std::uint64_t>(distance);
  const std::size_t bin = std::min(bins_.index(whole), hits_below_.size() - 1);
  AccessCounts result = hits_below_[bin];
  if (bin + 1 < hits_below_.size()) {
    const DistanceBins::Range range = bins_.range_around(whole);
    const double share = (distance - static_cast<double>(range.begin)) /
                         static_cast<double>(range.end - range.begin);
    result.combine(hits_below_[bin + 1],
                   [share](double a, double b) { return a + share * (b - a); });
  }
  result.combine(estimated_total_, [](double hits, double all) { return all - hits; });
  return result;
}

AccessCounts MissRatioCurve::hits(std::uint64_t cache_pages) const {
  if (cache_pages == 0) return {};
  AccessCounts result = misses(cache_pages);
  result.combine(total_,
                 [](double misses, double all) { return std::clamp(all - misses, 0.0, all); });
  return result;
}

std::optional<std::uint64_t> MissRatioCurve::pages_for_share(double share) const {
  const std::uint64_t unlimited = std::uint64_t{1} << 62;
  const double wanted = share * hits(unlimited).all_pages();
  if (!(hits(unlimited).all_pages() > 0)) return std::nullopt;
  std::uint64_t low = 0;
  std::uint64_t high = unlimited;
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
