#include "model/compare/hit_miss_fit.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "model/compare/distribution_distance.hpp"

namespace rigel {
namespace {

constexpr double kLeastReads = 100;
constexpr double kLeastReadsOfBlock = 50;
constexpr int kSteps = 500;
constexpr double kConverged = 1e-7;  // of the log likelihood a read
constexpr std::size_t kDraws = 200;
constexpr double kLeastValley = 0.9;      // of the lower peak: where two peaks are two
constexpr double kLeastDeviation = 0.01;  // of ln x: a bin is 0.016 wide
constexpr double kTinyShare = 1e-6;

// Counts at the bins in use.
struct Histogram {
  std::vector<double> log_ns;  // ln of the bin's middle
  std::vector<double> ns;
  std::vector<double> counts;
  double total = 0;
};

double middle_of(std::size_t bin) {
  const auto low = static_cast<double>(log_bins::low_of(bin));
  return std::max(0.5, (low + static_cast<double>(log_bins::low_of(bin + 1))) / 2);
}

Histogram histogram_of(const std::vector<double>& bins) {
  Histogram histogram;
  for (std::size_t bin = 0; bin < std::min(bins.size(), BlockedSamples::kInfinite); ++bin) {
    if (bins[bin] <= 0) continue;
    const double ns = middle_of(bin);
    histogram.ns.push_back(ns);
    histogram.log_ns.push_back(std::log(ns));
    histogram.counts.push_back(bins[bin]);
    histogram.total += bins[bin];
  }
  return histogram;
}

// Densities are over ln x, so that their peaks are where the eye sees them on a logarithmic axis.
double log_density_lognormal(double log_ns, const LatencyPopulation& p) {
  constexpr double kHalfLogTwoPi = 0.918938533204672742;
  const double z = (log_ns - p.first) / p.second;
  return -0.5 * z * z - std::log(p.second) - kHalfLogTwoPi;
}

class MissDensity {
 public:
  MissDensity(MissShape shape, const LatencyPopulation& p)
      : shape_{shape}, p_{p}, norm_{std::lgamma(p.first) + p.first * std::log(p.second)} {}
  [[nodiscard]] double log_at(double log_ns, double ns) const {
    if (shape_ == MissShape::kLognormal) return log_density_lognormal(log_ns, p_);
    return p_.first * log_ns - ns / p_.second - norm_;
  }

 private:
  MissShape shape_;
  LatencyPopulation p_;
  double norm_;
};

LatencyPopulation fit_lognormal(const Histogram& h, const std::vector<double>& weights,
                                double total) {
  double mean = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) mean += weights[i] * h.log_ns[i] / total;
  double squares = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    squares += weights[i] * (h.log_ns[i] - mean) * (h.log_ns[i] - mean) / total;
  }
  return {mean, std::max(kLeastDeviation, std::sqrt(squares))};
}

LatencyPopulation fit_gamma(const Histogram& h, const std::vector<double>& weights, double total) {
  double mean = 0;
  double log_mean = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    mean += weights[i] * h.ns[i] / total;
    log_mean += weights[i] * h.log_ns[i] / total;
  }
  const double s = std::max(1e-5, std::log(mean) - log_mean);
  // The start and Newton's step of T. P. Minka, "Estimating a Gamma distribution" (2002).
  double k = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 6; ++i) {
    const double slope = 1 / k - boost::math::trigamma(k);
    k = std::max(k / 2, k - (std::log(k) - boost::math::digamma(k) - s) / slope);
  }
  return {k, mean / k};
}

LatencyPopulation fit_miss(MissShape shape, const Histogram& h, const std::vector<double>& weights,
                           double total) {
  return shape == MissShape::kGamma ? fit_gamma(h, weights, total)
                                    : fit_lognormal(h, weights, total);
}

double single_log_likelihood(MissShape shape, const Histogram& h) {
  const MissDensity density{shape, fit_miss(shape, h, h.counts, h.total)};
  double sum = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    sum += h.counts[i] * density.log_at(h.log_ns[i], h.ns[i]);
  }
  return sum;
}

// Expectation and maximisation until the likelihood stands still.
HitMissModel climb(const Histogram& h, HitMissModel model) {
  std::vector<double> hits(h.counts.size());
  std::vector<double> misses(h.counts.size());
  double before = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSteps; ++step) {
    const MissDensity miss{model.miss_shape, model.miss};
    model.log_likelihood = 0;
    double hit_total = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const double as_hit =
          std::log(model.hit_share) + log_density_lognormal(h.log_ns[i], model.hit);
      const double as_miss = std::log1p(-model.hit_share) + miss.log_at(h.log_ns[i], h.ns[i]);
      const double more = std::max(as_hit, as_miss);
      const double both = more + std::log1p(std::exp(std::min(as_hit, as_miss) - more));
      model.log_likelihood += h.counts[i] * both;
      hits[i] = h.counts[i] * std::exp(as_hit - both);
      misses[i] = h.counts[i] - hits[i];
      hit_total += hits[i];
    }
    if (model.log_likelihood - before < kConverged * h.total) break;
    before = model.log_likelihood;
    model.hit_share = std::clamp(hit_total / h.total, kTinyShare, 1 - kTinyShare);
    model.hit = fit_lognormal(h, hits, std::max(hit_total, kTinyShare));
    model.miss = fit_miss(model.miss_shape, h, misses, std::max(h.total - hit_total, kTinyShare));
  }
  return model;
}

double quantile(const Histogram& h, double share) {
  double below = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    below += h.counts[i];
    if (below >= share * h.total) return h.log_ns[i];
  }
  return h.log_ns.back();
}

// From a cut at this share of the reads.
HitMissModel start_at(const Histogram& h, double share, MissShape shape) {
  const double cut = quantile(h, share);
  std::vector<double> hits = h.counts;
  std::vector<double> misses = h.counts;
  double hit_total = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    (h.log_ns[i] <= cut ? misses : hits)[i] = 0;
    hit_total += hits[i];
  }
  HitMissModel model;
  model.miss_shape = shape;
  model.hit_share = std::clamp(hit_total / h.total, kTinyShare, 1 - kTinyShare);
  model.hit = fit_lognormal(h, hits, std::max(hit_total, kTinyShare));
  model.miss = hit_total < h.total ? fit_miss(shape, h, misses, h.total - hit_total)
                                   : LatencyPopulation{1, h.ns.back()};
  return model;
}

double miss_mean_ns(const HitMissModel& model) {
  if (model.miss_shape == MissShape::kGamma) return model.miss.first * model.miss.second;
  return std::exp(model.miss.first + model.miss.second * model.miss.second / 2);
}

HitMissModel best_model(const Histogram& h) {
  HitMissModel best;
  best.log_likelihood = -std::numeric_limits<double>::infinity();
  for (const MissShape shape : {MissShape::kGamma, MissShape::kLognormal}) {
    for (const double share : {0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97}) {
      const HitMissModel model = climb(h, start_at(h, share, shape));
      const bool ordered = std::exp(model.hit.first) < miss_mean_ns(model);
      if (ordered && model.log_likelihood > best.log_likelihood) best = model;
    }
  }
  return best;
}

// Reads around a latency.
double reads_near(const Histogram& h, double log_ns) {
  constexpr double kHalfWidth = 0.1;
  double reads = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (std::abs(h.log_ns[i] - log_ns) <= kHalfWidth) reads += h.counts[i];
  }
  return reads;
}

// Whether there are fewer reads where the mixture's density over log latency is lowest between two
// peaks than at either of them.
bool has_valley(const HitMissModel& model, const Histogram& h) {
  constexpr std::size_t kPoints = 2000;
  const MissDensity miss{model.miss_shape, model.miss};
  std::vector<double> log_ns(kPoints);
  std::vector<double> density(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double part = static_cast<double>(i) / (kPoints - 1);
    log_ns[i] = h.log_ns.front() + (h.log_ns.back() - h.log_ns.front()) * part;
    density[i] = model.hit_share * std::exp(log_density_lognormal(log_ns[i], model.hit)) +
                 (1 - model.hit_share) * std::exp(miss.log_at(log_ns[i], std::exp(log_ns[i])));
  }
  // The highest point to the left of each, and to the right.
  std::vector<std::size_t> left(kPoints);
  std::vector<std::size_t> right(kPoints, kPoints - 1);
  for (std::size_t i = 1; i < kPoints; ++i) {
    left[i] = density[i] > density[left[i - 1]] ? i : left[i - 1];
  }
  for (std::size_t i = kPoints - 1; i-- > 0;) {
    right[i] = density[i] > density[right[i + 1]] ? i : right[i + 1];
  }
  std::size_t valley = 0;
  const auto depth = [&](std::size_t i) {
    return density[i] / std::min(density[left[i]], density[right[i]]);
  };
  for (std::size_t i = 1; i < kPoints; ++i) {
    if (depth(i) < depth(valley)) valley = i;
  }
  if (depth(valley) >= kLeastValley) return false;
  const double there = reads_near(h, log_ns[valley]);
  const double peaks =
      std::min(reads_near(h, log_ns[left[valley]]), reads_near(h, log_ns[right[valley]]));
  return peaks - there > 2 * std::sqrt(peaks + there);
}

bool is_likelier_than_one(const HitMissModel& model, const Histogram& h) {
  const double one = std::max(single_log_likelihood(MissShape::kGamma, h),
                              single_log_likelihood(MissShape::kLognormal, h));
  constexpr double kFurtherParameters = 3;
  return 2 * (model.log_likelihood - one) > kFurtherParameters * std::log(h.total);
}

// The hit share of reads drawn from these blocks, by populations near the given ones.
double share_of_draw(const std::vector<std::vector<double>>& blocks, const HitMissModel& model,
                     std::mt19937_64& random) {
  std::vector<double> sum;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::vector<double>& block = blocks[random() % blocks.size()];
    if (sum.size() < block.size()) sum.resize(block.size());
    for (std::size_t bin = 0; bin < block.size(); ++bin) sum[bin] += block[bin];
  }
  const Histogram histogram = histogram_of(sum);
  return histogram.total > 0 ? climb(histogram, model).hit_share : model.hit_share;
}

// The interval of a share whose draws deviate so much.
void set_interval(HitMissFit& fit, double deviation, std::size_t blocks) {
  const auto k = static_cast<double>(blocks);
  const boost::math::students_t student{k - 1};
  const double bound = boost::math::quantile(student, 0.975) * deviation * std::sqrt(k / (k - 1));
  fit.low = std::max(0.0, fit.hit_ratio - bound);
  fit.high = std::min(1.0, fit.hit_ratio + bound);
}

double deviation_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The populations as they are, their shares fitted anew.
double share_in(const Histogram& h, const HitMissModel& model) {
  const MissDensity miss{model.miss_shape, model.miss};
  double share = model.hit_share;
  for (int step = 0; step < kSteps; ++step) {
    double hits = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
      const double as_hit = share * std::exp(log_density_lognormal(h.log_ns[i], model.hit));
      const double as_miss = (1 - share) * std::exp(miss.log_at(h.log_ns[i], h.ns[i]));
      if (as_hit + as_miss > 0) hits += h.counts[i] * as_hit / (as_hit + as_miss);
    }
    const double next = hits / h.total;
    if (std::abs(next - share) < 1e-6) return next;
    share = next;
  }
  return share;
}

}  // namespace

HitMissFit fit_hits_and_misses(const BlockedSamples& latencies) {
  HitMissFit fit;
  const Histogram all = histogram_of(latencies.histogram());
  if (all.total < kLeastReads || all.counts.size() < 2) return fit;
  fit.model = best_model(all);
  if (!std::isfinite(fit.model.log_likelihood) || !is_likelier_than_one(fit.model, all) ||
      !has_valley(fit.model, all)) {
    return fit;
  }
  fit.two_populations = true;
  fit.hit_ratio = fit.model.hit_share;
  fit.hit_ns = std::exp(fit.model.hit.first);
  fit.miss_ns = miss_mean_ns(fit.model);
  const std::vector<std::vector<double>>& blocks = latencies.blocks();
  for (const std::vector<double>& block : blocks) {
    const Histogram histogram = histogram_of(block);
    fit.by_block.emplace_back(std::nullopt);
    if (histogram.total >= kLeastReadsOfBlock) {
      fit.by_block.back() = share_in(histogram, fit.model);
    }
  }
  if (blocks.size() < kLeastBlocks) return fit;
  std::mt19937_64 random{1};
  std::vector<double> shares;
  for (std::size_t i = 0; i < kDraws; ++i) {
    shares.push_back(share_of_draw(blocks, fit.model, random));
  }
  set_interval(fit, deviation_of(shares), blocks.size());
  return fit;
}

HitMissFit hits_below(const BlockedSamples& latencies, std::uint64_t border_ns) {
  HitMissFit fit;
  const std::size_t border = log_bins::index_of(border_ns);
  // The bin that the border cuts is taken as evenly filled.
  const double part = static_cast<double>(border_ns - log_bins::low_of(border)) /
                      static_cast<double>(log_bins::low_of(border + 1) - log_bins::low_of(border));
  std::vector<double> hits;
  std::vector<double> totals;
  double all_hits = 0;
  for (const std::vector<double>& block : latencies.blocks()) {
    double below = 0;
    double total = 0;
    for (std::size_t bin = 0; bin < block.size(); ++bin) {
      total += block[bin];
      if (bin < border) below += block[bin];
      if (bin == border) below += part * block[bin];
    }
    hits.push_back(below);
    totals.push_back(total);
    all_hits += below;
    fit.by_block.emplace_back(std::nullopt);
    if (total >= kLeastReadsOfBlock) fit.by_block.back() = below / total;
  }
  if (latencies.count() == 0) return fit;
  fit.two_populations = true;
  fit.hit_ratio = all_hits / latencies.count();
  if (hits.size() < kLeastBlocks) return fit;
  std::mt19937_64 random{1};
  std::vector<double> shares;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    double below = 0;
    double total = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const std::size_t block = random() % hits.size();
      below += hits[block];
      total += totals[block];
    }
    if (total > 0) shares.push_back(below / total);
  }
  set_interval(fit, deviation_of(shares), hits.size());
  return fit;
}

}  // namespace rigel
