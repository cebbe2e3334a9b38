#include "model/compare/latency_mixture.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "model/compare/blocked_samples.hpp"
#include "model/compare/log_bins.hpp"

namespace rigel {
namespace {

constexpr std::array kShapes{MissShape::kGamma, MissShape::kLognormal};
constexpr int kSteps = 1000;
constexpr double kConverged = 1e-8;       // of the log likelihood a read
constexpr double kLeastDeviation = 0.01;  // of ln x: a bin is 0.016 wide
constexpr double kTinyShare = 1e-6;
constexpr double kLeastDensity = 1e-300;
// What is called the delay of a hit is this much shorter than a miss; and fewer than half of all
// hits meet one that is longer than the hit itself.
constexpr double kLeastMissToDelay = 10;
constexpr double kMostLongDelays = 0.25;

double middle_of(std::size_t bin) {
  const auto low = static_cast<double>(log_bins::low_of(bin));
  return std::max(0.5, (low + static_cast<double>(log_bins::low_of(bin + 1))) / 2);
}

double lognormal_density(double log_ns, const LatencyPopulation& p) {
  constexpr double kRootTwoPi = 2.506628274631000502;
  const double z = (log_ns - p.first) / p.second;
  return std::exp(-0.5 * z * z) / (p.second * kRootTwoPi);
}

double lognormal_share_below(double ns, const LatencyPopulation& p) {
  return ns > 0 ? 0.5 * std::erfc((p.first - std::log(ns)) / (p.second * std::sqrt(2.0))) : 0;
}

double floor_of(const LatencyMixture& mixture) {
  return mixture.miss_floor * mixture.hit_median_ns();
}

// Sums over a weighted histogram of what latencies are beyond `floor_ns`, and of its logarithm.
struct Moments {
  double total = 0;
  double mean = 0;
  double log_mean = 0;
  double log_deviation = 0;
};

Moments moments_of(const LatencyCounts& h, const std::vector<double>& weights, double floor_ns) {
  Moments m;
  double log_squares = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0 || h.ns[i] <= floor_ns) continue;
    const double log_beyond = floor_ns > 0 ? std::log(h.ns[i] - floor_ns) : h.log_ns[i];
    m.total += weights[i];
    m.mean += weights[i] * (h.ns[i] - floor_ns);
    m.log_mean += weights[i] * log_beyond;
    log_squares += weights[i] * log_beyond * log_beyond;
  }
  const double total = std::max(m.total, kTinyShare);
  m.mean /= total;
  m.log_mean /= total;
  m.log_deviation = std::sqrt(std::max(0.0, log_squares / total - m.log_mean * m.log_mean));
  return m;
}

LatencyPopulation lognormal_of(const Moments& m) {
  return {m.log_mean, std::max(kLeastDeviation, m.log_deviation)};
}

LatencyPopulation gamma_of(const Moments& m, double least_shape) {
  const double s = std::max(1e-5, std::log(m.mean) - m.log_mean);
  // The start and Newton's step of T. P. Minka, "Estimating a Gamma distribution" (2002).
  double k = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 6; ++i) {
    const double slope = 1 / k - boost::math::trigamma(k);
    k = std::max(k / 2, k - (std::log(k) - boost::math::digamma(k) - s) / slope);
  }
  k = std::max(k, least_shape);
  return {k, m.mean / k};
}

void fit_miss(LatencyMixture& mixture, const LatencyCounts& h, const std::vector<double>& weights) {
  const Moments m = moments_of(h, weights, floor_of(mixture));
  if (m.total <= 0) return;
  mixture.miss = mixture.miss_shape == MissShape::kGamma
                     ? gamma_of(m, mixture.miss_floor > 0 ? 1.0 : 0.0)
                     : lognormal_of(m);
}

double log_likelihood(const LatencyMixture& mixture, const LatencyCounts& h) {
  const MixtureDensity density{mixture};
  double sum = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    sum += h.counts[i] * std::log(std::max(kLeastDensity, density.at(h.log_ns[i], h.ns[i]).all()));
  }
  return sum;
}

double free_parameters(const LatencyMixture& mixture) {
  return 5 + 2 * static_cast<double>(mixture.delay_count);
}

double cost_of(double parameters, const LatencyCounts& h) {
  return parameters * std::log(h.total) / 2;
}

double quantile(const LatencyCounts& h, double share) {
  double below = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    below += h.counts[i];
    if (below >= share * h.total) return h.log_ns[i];
  }
  return h.log_ns.back();
}

// From a cut at this share of the reads.
LatencyMixture start_at(const LatencyCounts& h, double share, MissShape shape) {
  const double cut = quantile(h, share);
  std::vector<double> hits = h.counts;
  std::vector<double> misses = h.counts;
  for (std::size_t i = 0; i < hits.size(); ++i) (h.log_ns[i] <= cut ? misses : hits)[i] = 0;
  const Moments of_hits = moments_of(h, hits, 0);
  LatencyMixture mixture;
  mixture.miss_shape = shape;
  mixture.undelayed_share = std::clamp(of_hits.total / h.total, kTinyShare, 1 - kTinyShare);
  mixture.hit = lognormal_of(of_hits);
  mixture.miss = {1, h.ns.back()};
  fit_miss(mixture, h, misses);
  return mixture;
}

// The same with other misses, fitted to what were misses before.
LatencyMixture with_floor(LatencyMixture mixture, const LatencyCounts& h, MissShape shape,
                          double miss_floor) {
  const MixtureDensity density{mixture};
  std::vector<double> misses = h.counts;
  for (std::size_t i = 0; i < misses.size(); ++i) {
    const MixtureParts parts = density.at(h.log_ns[i], h.ns[i]);
    misses[i] *= parts.miss / std::max(kLeastDensity, parts.all());
  }
  mixture.miss_shape = shape;
  mixture.miss_floor = miss_floor;
  fit_miss(mixture, h, misses);
  return mixture;
}

// The same with a tenth of its hits delayed by as much again, or by more than others are.
LatencyMixture with_delay(LatencyMixture mixture) {
  double mean_ns = mixture.hit_median_ns();
  if (mixture.delay_count > 0) mean_ns += 2 * mixture.delays[mixture.delay_count - 1].mean_ns;
  const double share = mixture.undelayed_share / 10;
  mixture.undelayed_share -= share;
  mixture.delays[mixture.delay_count++] = {share, mean_ns};
  return mixture;
}

bool makes_sense(const LatencyMixture& mixture) {
  if (mixture.hit_median_ns() >= mixture.miss_mean_ns()) return false;
  double long_delays = 0;
  for (std::size_t i = 0; i < mixture.delay_count; ++i) {
    const LatencyMixture::Delay& delay = mixture.delays[i];
    if (delay.mean_ns * kLeastMissToDelay > mixture.miss_mean_ns()) return false;
    if (delay.mean_ns > mixture.hit_median_ns()) long_delays += delay.share;
  }
  return long_delays <= kMostLongDelays * mixture.hit_share();
}

}  // namespace

LatencyCounts histogram_of(const std::vector<double>& bins) {
  LatencyCounts histogram;
  for (std::size_t bin = 0; bin < std::min(bins.size(), BlockedSamples::kInfinite); ++bin) {
    if (bins[bin] <= 0) continue;
    const double ns = middle_of(bin);
    histogram.ns.push_back(ns);
    histogram.log_ns.push_back(std::log(ns));
    histogram.lower_ns.push_back(static_cast<double>(log_bins::low_of(bin)));
    histogram.upper_ns.push_back(static_cast<double>(log_bins::low_of(bin + 1)));
    histogram.counts.push_back(bins[bin]);
    histogram.total += bins[bin];
  }
  return histogram;
}

double LatencyMixture::hit_share() const {
  double share = undelayed_share;
  for (const Delay& delay : delays) share += delay.share;
  return share;
}

double LatencyMixture::hit_median_ns() const {
  return std::exp(hit.first);
}

double LatencyMixture::miss_mean_ns() const {
  const double beyond = miss_shape == MissShape::kGamma
                            ? miss.first * miss.second
                            : std::exp(miss.first + miss.second * miss.second / 2);
  return floor_of(*this) + beyond;
}

double LatencyMixture::share_below(double ns) const {
  double share = undelayed_share * lognormal_share_below(ns, hit);
  for (std::size_t i = 0; i < delay_count && ns > hit_median_ns(); ++i) {
    share += delays[i].share * -std::expm1((hit_median_ns() - ns) / delays[i].mean_ns);
  }
  return share + misses_below(ns);
}

double LatencyMixture::misses_below(double ns) const {
  const double beyond = ns - floor_of(*this);
  if (beyond <= 0) return 0;
  const double of_misses = miss_shape == MissShape::kLognormal
                               ? lognormal_share_below(beyond, miss)
                               : boost::math::gamma_p(miss.first, beyond / miss.second);
  return (1 - hit_share()) * of_misses;
}

MixtureDensity::MixtureDensity(const LatencyMixture& mixture)
    : mixture_{mixture},
      floor_ns_{floor_of(mixture)},
      hit_ns_{mixture.hit_median_ns()},
      log_norm_{std::lgamma(mixture.miss.first) +
                mixture.miss.first * std::log(mixture.miss.second)} {}

MixtureParts MixtureDensity::at(double log_ns, double ns) const {
  const LatencyMixture& m = mixture_;
  MixtureParts parts;
  parts.undelayed = m.undelayed_share * lognormal_density(log_ns, m.hit);
  for (std::size_t i = 0; i < m.delay_count && ns > hit_ns_; ++i) {
    const LatencyMixture::Delay& delay = m.delays[i];
    parts.delayed[i] = delay.share * ns / delay.mean_ns * std::exp((hit_ns_ - ns) / delay.mean_ns);
  }
  if (ns <= floor_ns_) return parts;
  const double beyond = ns - floor_ns_;
  const double log_beyond = floor_ns_ > 0 ? std::log(beyond) : log_ns;
  const double of_beyond =
      m.miss_shape == MissShape::kLognormal
          ? lognormal_density(log_beyond, m.miss)
          : std::exp(m.miss.first * log_beyond - beyond / m.miss.second - log_norm_);
  parts.miss = (1 - m.hit_share()) * of_beyond * ns / beyond;
  return parts;
}

LatencyMixture climb(const LatencyCounts& h, LatencyMixture mixture) {
  std::vector<double> undelayed(h.counts.size());
  std::array<std::vector<double>, LatencyMixture::kMostDelays> delayed;
  for (auto& weights : delayed) weights.resize(h.counts.size());
  std::vector<double> misses(h.counts.size());
  double before = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < kSteps; ++step) {
    const MixtureDensity density{mixture};
    mixture.log_likelihood = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
      const MixtureParts parts = density.at(h.log_ns[i], h.ns[i]);
      const double all = std::max(kLeastDensity, parts.all());
      mixture.log_likelihood += h.counts[i] * std::log(all);
      undelayed[i] = h.counts[i] * parts.undelayed / all;
      for (std::size_t k = 0; k < mixture.delay_count; ++k) {
        delayed[k][i] = h.counts[i] * parts.delayed[k] / all;
      }
      misses[i] = h.counts[i] * parts.miss / all;
    }
    // It may fall by a trifle: the floor of misses goes with the hits, not by its own likelihood.
    if (std::abs(mixture.log_likelihood - before) < kConverged * h.total) break;
    before = mixture.log_likelihood;
    const Moments of_undelayed = moments_of(h, undelayed, 0);
    mixture.undelayed_share = std::clamp(of_undelayed.total / h.total, kTinyShare, 1 - kTinyShare);
    for (std::size_t k = 0; k < mixture.delay_count; ++k) {
      const Moments of_delayed = moments_of(h, delayed[k], mixture.hit_median_ns());
      mixture.delays[k] = {of_delayed.total / h.total, std::max(1.0, of_delayed.mean)};
    }
    if (of_undelayed.total > 0) mixture.hit = lognormal_of(of_undelayed);
    fit_miss(mixture, h, misses);
  }
  return mixture;
}

LatencyMixture fit_mixture(const LatencyCounts& h) {
  LatencyMixture best;
  best.log_likelihood = -std::numeric_limits<double>::infinity();
  std::optional<double> best_score;
  const auto offer = [&](const LatencyMixture& mixture) {
    const double score = mixture.log_likelihood - cost_of(free_parameters(mixture), h);
    if (!makes_sense(mixture) || !std::isfinite(score) || (best_score && score <= *best_score)) {
      return;
    }
    best = mixture;
    best_score = score;
  };
  for (const MissShape shape : kShapes) {
    for (const double share : {0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97}) {
      offer(climb(h, start_at(h, share, shape)));
    }
  }
  if (!best_score) return best;
  const LatencyMixture first = best;
  for (const MissShape shape : kShapes) {
    for (const double miss_floor : {1.0 / 3, 2.0 / 3, 1.0}) {
      offer(climb(h, with_floor(first, h, shape, miss_floor)));
    }
  }
  for (std::size_t i = 0; i < LatencyMixture::kMostDelays && best.delay_count == i; ++i) {
    offer(climb(h, with_delay(best)));
  }
  return best;
}

bool is_likelier_than_one(const LatencyMixture& mixture, const LatencyCounts& h) {
  double one = -std::numeric_limits<double>::infinity();
  for (const MissShape shape : kShapes) {
    LatencyMixture single;  // all misses
    single.miss_shape = shape;
    single.hit = {0, 1};
    fit_miss(single, h, h.counts);
    one = std::max(one, log_likelihood(single, h));
  }
  return mixture.log_likelihood - one > cost_of(free_parameters(mixture) - 2, h);
}

double misfit(const LatencyMixture& mixture, const LatencyCounts& h) {
  constexpr double kResolution = 1.033;  // the least deviation of hits is two thirds of a bin
  double distance = 0;
  double below = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double too_many = mixture.share_below(h.lower_ns[i] / kResolution) - below;
    below += h.counts[i] / h.total;
    const double too_few = below - mixture.share_below(h.upper_ns[i] * kResolution);
    distance = std::max({distance, too_many, too_few});
  }
  return distance;
}

}  // namespace rigel
