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

AccessCounts mean_of(const std::vector<AccessCounts>& counts) {
  AccessCounts sum;
  for (const AccessCounts& each : counts) sum += each;
  const auto count = static_cast<double>(counts.size());
  sum.combine(sum, [count](double value, double) { return value / count; });
  return sum;
}

}  // namespace

EstimatedRatios combine_estimates(const std::vector<HitRatios>& estimates, double floor,
                                  double resolution) {
  const auto mean = [&estimates](double HitRatios::*ratio) {
    return mean_of(estimates, [ratio](const HitRatios& estimate) { return estimate.*ratio; });
  };
  const auto within = [](double ratio, double low) { return std::clamp(ratio, low, 1.0); };
  EstimatedRatios result;
  result.mean = {.page = within(mean(&HitRatios::page), floor),
                 .read_page = within(mean(&HitRatios::read_page), 0),
                 .write_page = within(mean(&HitRatios::write_page), 0),
                 .request = kUnknown,
                 .read_request = kUnknown,
                 .write_request = kUnknown,
                 .byte = within(mean(&HitRatios::byte), 0)};
  const auto count = static_cast<double>(estimates.size());
  const double middle = mean(&HitRatios::page);
  if (estimates.size() < 2) return result.low = floor, result.high = 1, result;
  if (std::isnan(middle)) return result.low = result.high = kUnknown, result;
  const double variance =
      mean_of(estimates,
              [middle](const HitRatios& r) { return (r.page - middle) * (r.page - middle); }) *
      count / (count - 1);
  const double quantile =
      boost::math::quantile(boost::math::students_t_distribution<double>{count - 1}, 0.975);
  const double half_width = quantile * std::sqrt(variance / count + resolution * resolution);
  result.low = within(middle - half_width, floor);
  result.high = within(middle + half_width, floor);
  return result;
}

SampledCurve::SampledCurve(std::vector<MissRatioCurve> samples, std::optional<MissRatioCurve> head,
                           std::uint64_t head_pages, bool head_complete)
    : samples_{std::move(samples)},
      head_{std::move(head)},
      head_pages_{head_pages},
      head_complete_{head_complete} {
  for (const MissRatioCurve& sample : samples_) rates_ += sample.rate();
}

// Their mean is the ratio of the samples' sums, which is far less biased than the mean of their
// ratios, and their spread that of its linear approximation: Cochran, "Sampling techniques", 1977,
// chapter 6.
std::vector<AccessCounts> SampledCurve::estimated_misses(std::uint64_t cache_pages) const {
  std::vector<AccessCounts> misses;  // of each sample that says anything
  std::vector<AccessCounts> at_head;
  for (const MissRatioCurve& sample : samples_) {
    if (sample.distinct_pages() == 0 && total().all_pages() > 0) continue;
    misses.push_back(sample.misses(cache_pages));
    if (head_) at_head.push_back(sample.misses(head_pages_));
  }
  if (!head_ || misses.empty()) return misses;
  const AccessCounts mean_at_head = mean_of(at_head);
  AccessCounts share = mean_of(misses);
  share.combine(mean_at_head, [](double some, double all) { return all > 0 ? some / all : 1; });
  for (std::size_t i = 0; i < misses.size(); ++i) {
    at_head[i].combine(share, [](double all, double part) { return all * part; });
    misses[i].combine(at_head[i], [](double some, double expected) { return some - expected; });
    misses[i].combine(mean_at_head,
                      [](double excess, double all) { return all > 0 ? excess / all : 0; });
    misses[i] += share;
    misses[i].combine(head_->misses(head_pages_),
                      [](double part, double all) { return part * all; });
  }
  return misses;
}

EstimatedRatios SampledCurve::at(std::uint64_t cache_pages) const {
  if (exact_at(cache_pages)) {
    const HitRatios exact = head_->at(cache_pages);
    return {exact, exact.page, exact.page};
  }
  EstimatedRatios result = interval(cache_pages);
  const auto half_page = static_cast<std::uint64_t>(std::min(
      0.5 * static_cast<double>(samples_.size()) / rates_, static_cast<double>(kUnlimited)));
  const std::uint64_t smaller = cache_pages - std::min(cache_pages, half_page);
  result.low = interval(std::max(smaller, head_ ? head_pages_ : 0)).low;
  result.high = interval(cache_pages + half_page).high;
  return result;
}

EstimatedRatios SampledCurve::interval(std::uint64_t cache_pages) const {
  std::vector<HitRatios> estimates;
  for (AccessCounts counts : estimated_misses(cache_pages)) {
    counts.combine(total(), [](double missed, double all) { return all - missed; });
    estimates.push_back(hit_ratios(counts, total()));
  }
  return combine_estimates(estimates, head_ ? head_->at(head_pages_).page : 0.0,
                           1 / (rates_ * total().all_pages()));
}

double SampledCurve::distinct_pages() const {
  if (exact_at(kUnlimited)) return head_->distinct_pages();
  double sum = 0;
  for (const MissRatioCurve& sample : samples_) sum += sample.distinct_pages();
  return sum / static_cast<double>(samples_.size());
}

AccessCounts SampledCurve::cold() const {
  if (exact_at(kUnlimited)) return head_->cold();
  const std::vector<AccessCounts> estimates = estimated_misses(kUnlimited);
  if (estimates.empty()) return {};
  AccessCounts cold = mean_of(estimates);
  cold.combine(total(), [](double missed, double all) { return std::min(missed, all); });
  return cold;
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
