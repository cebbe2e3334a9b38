#include "model/cache/sampled_curve.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace rigel {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;

template <typename Get>
double mean_of(const std::vector<HitRatios>& estimates, Get get) {
  double sum = 0;
  for (const HitRatios& estimate : estimates) sum += get(estimate);
  if (estimates.empty()) return kUnknown;
  return sum / static_cast<double>(estimates.size());
}

}  // namespace

EstimatedRatios combine_estimates(const std::vector<HitRatios>& estimates, double floor) {
  EstimatedRatios result;
  result.mean = {.page = mean_of(estimates, [](const HitRatios& r) { return r.page; }),
                 .read_page = mean_of(estimates, [](const HitRatios& r) { return r.read_page; }),
                 .write_page = mean_of(estimates, [](const HitRatios& r) { return r.write_page; }),
                 .request = kUnknown,
                 .read_request = kUnknown,
                 .write_request = kUnknown,
                 .byte = mean_of(estimates, [](const HitRatios& r) { return r.byte; })};
  const auto count = static_cast<double>(estimates.size());
  const double mean = result.mean.page;
  if (estimates.size() < 2) return result.low = floor, result.high = 1, result;
  if (std::isnan(mean)) return result.low = result.high = kUnknown, result;
  const double variance =
      mean_of(estimates, [mean](const HitRatios& r) { return (r.page - mean) * (r.page - mean); }) *
      count / (count - 1);
  const double quantile =
      boost::math::quantile(boost::math::students_t_distribution<double>{count - 1}, 0.975);
  const double half_width = quantile * std::sqrt(variance / count);
  result.low = std::max(floor, mean - half_width);
  result.high = std::min(1.0, mean + half_width);
  return result;
}

SampledCurve::SampledCurve(std::vector<MissRatioCurve> samples, std::optional<MissRatioCurve> head,
                           std::uint64_t head_pages, bool head_complete)
    : samples_{std::move(samples)},
      head_{std::move(head)},
      head_pages_{head_pages},
      head_complete_{head_complete} {}

AccessCounts SampledCurve::estimate(const MissRatioCurve& sample, std::uint64_t cache_pages) const {
  AccessCounts hits = sample.hits(cache_pages);
  if (!head_) return hits;
  const AccessCounts& all = total();
  const AccessCounts head_hits = head_->hits(head_pages_);
  // hits -> the share of the misses at the head's depth that are still misses
  hits.combine(all, [](double hit, double total) { return total - hit; });
  AccessCounts at_head = sample.hits(head_pages_);
  at_head.combine(all, [](double hit, double total) { return total - hit; });
  hits.combine(at_head,
               [](double misses, double before) { return before > 0 ? misses / before : 1; });
  AccessCounts head_misses = all;
  head_misses.combine(head_hits, [](double total, double hit) { return total - hit; });
  hits.combine(head_misses, [](double share, double misses) { return share * misses; });
  hits.combine(all, [](double misses, double total) { return total - misses; });
  return hits;
}

EstimatedRatios SampledCurve::at(std::uint64_t cache_pages) const {
  if (exact_at(cache_pages)) {
    const HitRatios exact = head_->at(cache_pages);
    return {exact, exact.page, exact.page};
  }
  std::vector<HitRatios> estimates;
  for (const MissRatioCurve& sample : samples_) {
    if (sample.distinct_pages() == 0 && total().all_pages() > 0) continue;
    estimates.push_back(hit_ratios(estimate(sample, cache_pages), total()));
  }
  return combine_estimates(estimates, head_ ? head_->at(head_pages_).page : 0.0);
}

double SampledCurve::distinct_pages() const {
  if (exact_at(kUnlimited)) return head_->distinct_pages();
  double sum = 0;
  for (const MissRatioCurve& sample : samples_) sum += sample.distinct_pages();
  return sum / static_cast<double>(samples_.size());
}

AccessCounts SampledCurve::cold() const {
  if (exact_at(kUnlimited)) return head_->cold();
  AccessCounts sum;
  for (const MissRatioCurve& sample : samples_) sum += sample.cold();
  const auto count = static_cast<double>(samples_.size());
  sum.combine(sum, [count](double value, double) { return value / count; });
  return sum;
}

std::optional<std::uint64_t> SampledCurve::pages_for_share(double share) const {
  const double wanted = share * at(kUnlimited).mean.page;
  if (!(at(kUnlimited).mean.page > 0)) return std::nullopt;
  std::uint64_t low = 0;
  std::uint64_t high = kUnlimited;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (at(middle).mean.page >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace rigel
