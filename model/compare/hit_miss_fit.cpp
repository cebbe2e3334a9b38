#include "model/compare/hit_miss_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <random>

#include "model/compare/distribution_distance.hpp"

namespace rigel {
namespace {

constexpr double kLeastReads = 100;
constexpr double kLeastReadsOfBlock = 50;
constexpr int kSteps = 500;
constexpr std::size_t kDraws = 100;
constexpr double kLeastValley = 0.9;  // of the lower peak: where two peaks are two
// Kolmogorov's distance by which two populations may miss what was measured, beyond what chance
// does in 1 of 20.
constexpr double kMostMisfit = 0.02;
constexpr double kChance = 1.36;  // over the root of the number
// How many misses are as fast as hits is known from the shape of the slower ones alone: to about a
// half of them, by runs of a virtual LUN that counted its hits.
constexpr double kDoubtOfFastMisses = 0.5;

// Reads within this of a latency.
double reads_near(const LatencyCounts& h, double log_ns, double half_width) {
  double reads = 0;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (std::abs(h.log_ns[i] - log_ns) <= half_width) reads += h.counts[i];
  }
  return reads;
}

// Whether there are fewer reads where the mixture's density over log latency is lowest between two
// peaks than at either of them.
bool has_valley(const LatencyMixture& model, const LatencyCounts& h) {
  constexpr std::size_t kPoints = 2000;
  const MixtureDensity mixture{model};
  std::vector<double> log_ns(kPoints);
  std::vector<double> density(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double part = static_cast<double>(i) / (kPoints - 1);
    log_ns[i] = h.log_ns.front() + (h.log_ns.back() - h.log_ns.front()) * part;
    density[i] = mixture.at(log_ns[i], std::exp(log_ns[i])).all();
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
  // Where counting should show the valley most clearly: low, and not so near to a peak that only a
  // narrow window of reads is between. Hits may be as narrow as a bin.
  constexpr double kLeastHalfWidth = 0.016;
  constexpr double kMostHalfWidth = 0.1;
  std::optional<std::size_t> valley;
  double clearest = 0;
  double width = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double peaks = std::min(density[left[i]], density[right[i]]);
    const double room = std::min(log_ns[i] - log_ns[left[i]], log_ns[right[i]] - log_ns[i]);
    if (room < 2 * kLeastHalfWidth || density[i] >= kLeastValley * peaks) continue;
    const double half_width = std::min(room / 2, kMostHalfWidth);
    const double clarity = (peaks - density[i]) * std::sqrt(half_width / (peaks + density[i]));
    if (clarity <= clearest) continue;
    valley = i;
    clearest = clarity;
    width = half_width;
  }
  if (!valley) return false;
  const double there = reads_near(h, log_ns[*valley], width);
  const double peaks = std::min(reads_near(h, log_ns[left[*valley]], width),
                                reads_near(h, log_ns[right[*valley]], width));
  return peaks - there > 2 * std::sqrt(peaks + there);
}

// As many reads drawn anew, by bin: of whole blocks, for reads near in time are alike; or of single
// reads where the blocks are few.
std::vector<double> draw(const BlockedSamples& latencies, std::mt19937_64& random) {
  const std::vector<std::vector<double>>& blocks = latencies.blocks();
  std::vector<double> bins = latencies.histogram();
  if (blocks.size() < kLeastBlocks) {
    for (double& count : bins) {
      if (count > 0) count = std::poisson_distribution<int>{count}(random);
    }
    return bins;
  }
  std::fill(bins.begin(), bins.end(), 0.0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::vector<double>& block = blocks[random() % blocks.size()];
    for (std::size_t bin = 0; bin < block.size(); ++bin) bins[bin] += block[bin];
  }
  return bins;
}

double deviation_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// The interval of the share that `share_of` finds in draws.
template <typename ShareOf>
void set_interval(HitMissFit& fit, const BlockedSamples& latencies, double doubt,
                  ShareOf share_of) {
  std::mt19937_64 random{1};
  std::vector<double> shares;
  for (std::size_t i = 0; i < kDraws; ++i) {
    if (const auto share = share_of(draw(latencies, random))) shares.push_back(*share);
  }
  const std::size_t blocks = latencies.blocks().size();
  const double k = blocks < kLeastBlocks ? latencies.count() : static_cast<double>(blocks);
  double bound = 1;
  if (shares.size() > 1 && k > 1) {
    const boost::math::students_t student{k - 1};
    bound = boost::math::quantile(student, 0.975) * deviation_of(shares) * std::sqrt(k / (k - 1));
  }
  bound = std::hypot(bound, doubt);
  // All or none of few reads is not certain.
  bound = std::max(bound, fit.hit_ratio > 0 && fit.hit_ratio < 1
                              ? 0
                              : noise_of_share(fit.hit_ratio, latencies.count()));
  fit.low = std::max(0.0, fit.hit_ratio - bound);
  fit.high = std::min(1.0, fit.hit_ratio + bound);
}

// The populations as they are, the share of hits fitted anew.
double share_in(const LatencyCounts& h, const LatencyMixture& model) {
  const MixtureDensity density{model};
  const double share_before = model.hit_share();
  double share = share_before;
  for (int step = 0; step < kSteps; ++step) {
    double hits = 0;
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
      const MixtureParts parts = density.at(h.log_ns[i], h.ns[i]);
      const double as_hit = share / share_before * parts.hit();
      const double as_miss = (1 - share) / (1 - share_before) * parts.miss;
      if (as_hit + as_miss > 0) hits += h.counts[i] * as_hit / (as_hit + as_miss);
    }
    const double next = hits / h.total;
    if (std::abs(next - share) < 1e-6) return next;
    share = next;
  }
  return share;
}

// The share of reads that may be misses or hits for all that the mixture tells.
double doubt_about(LatencyMixture model, double misfit) {
  model.miss_floor = 0;  // no floor is certain either
  const double fast_ns = std::exp(model.hit.first + 2 * model.hit.second);
  return std::hypot(misfit, kDoubtOfFastMisses * model.misses_below(fast_ns));
}

}  // namespace

HitMissFit fit_hits_and_misses(const BlockedSamples& latencies) {
  HitMissFit fit;
  const LatencyCounts all = histogram_of(latencies.histogram());
  if (all.total < kLeastReads || all.counts.size() < 2) return fit;
  fit.model = fit_mixture(all);
  if (!std::isfinite(fit.model.log_likelihood) || !is_likelier_than_one(fit.model, all) ||
      !has_valley(fit.model, all)) {
    return fit;
  }
  const double off = misfit(fit.model, all);
  fit.more_populations = off > kMostMisfit + kChance / std::sqrt(all.total);
  if (fit.more_populations) return fit;
  fit.two_populations = true;
  fit.hit_ratio = fit.model.hit_share();
  fit.hit_ns = fit.model.hit_median_ns();
  fit.miss_ns = fit.model.miss_mean_ns();
  const std::vector<std::vector<double>>& blocks = latencies.blocks();
  for (const std::vector<double>& block : blocks) {
    const LatencyCounts histogram = histogram_of(block);
    fit.by_block.emplace_back(std::nullopt);
    if (histogram.total >= kLeastReadsOfBlock) {
      fit.by_block.back() = share_in(histogram, fit.model);
    }
  }
  set_interval(fit, latencies, doubt_about(fit.model, off),
               [&](const std::vector<double>& bins) -> std::optional<double> {
                 const LatencyCounts drawn = histogram_of(bins);
                 if (drawn.total <= 0) return std::nullopt;
                 return climb(drawn, fit.model).hit_share();
               });
  return fit;
}

HitMissFit hits_below(const BlockedSamples& latencies, std::uint64_t border_ns) {
  HitMissFit fit;
  const std::size_t border = log_bins::index_of(border_ns);
  // The bin that the border cuts is taken as evenly filled.
  const double part = static_cast<double>(border_ns - log_bins::low_of(border)) /
                      static_cast<double>(log_bins::low_of(border + 1) - log_bins::low_of(border));
  const auto share_below = [&](const std::vector<double>& bins,
                               double least_reads) -> std::optional<double> {
    double below = 0;
    double total = 0;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      total += bins[bin];
      if (bin < border) below += bins[bin];
      if (bin == border) below += part * bins[bin];
    }
    return total >= least_reads ? std::optional{below / total} : std::nullopt;
  };
  const std::optional<double> of_all = share_below(latencies.histogram(), 1);
  if (!of_all) return fit;
  fit.two_populations = true;
  fit.hit_ratio = *of_all;
  for (const std::vector<double>& block : latencies.blocks()) {
    fit.by_block.push_back(share_below(block, kLeastReadsOfBlock));
  }
  set_interval(fit, latencies, 0,
               [&](const std::vector<double>& bins) { return share_below(bins, 1); });
  return fit;
}

double noise_of_share(double share, double count) {
  constexpr double kDeviations = 1.959964;  // of a 95 % interval
  const double p = (share * count + 2) / (count + 4);
  return kDeviations * std::sqrt(p * (1 - p) / (count + 4));
}

}  // namespace rigel
