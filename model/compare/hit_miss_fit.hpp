// Which share of reads were cache hits, told from their latencies alone: hits are one population, a
// narrow one, misses another, slower and wider. A mixture of two is fitted to the latencies by
// maximum likelihood (EM: A. P. Dempster, N. M. Laird, D. B. Rubin, J. R. Stat. Soc. B 39, 1977):
// hits lognormal, misses gamma or lognormal, whichever is likelier. Gamma holds the exponential
// response time of a loaded disk and the narrower one of an idle disk; its shape solves
// ln k - digamma(k) = ln E[x] - E[ln x].
//
// There are two populations only when the mixture is likelier than any single lognormal or gamma by
// more than its further parameters cost (BIC: G. Schwarz, Ann. Statist. 6, 1978) and its density
// over log latency has two peaks with a valley between them: any smooth population that is neither
// lognormal nor gamma is fitted better by two, too.
// The interval is a block bootstrap's (distribution_distance.hpp): the fit anew to blocks drawn
// with replacement; its half width is Student's quantile times their standard deviation. Latencies
// are known to 1.6 % (log_bins.hpp). Pure functions; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/compare/blocked_samples.hpp"

namespace rigel {

enum class MissShape : std::uint8_t { kGamma, kLognormal };

// Of a lognormal: mean and standard deviation of ln x. Of a gamma: shape and scale in ns.
struct LatencyPopulation {
  double first = 0;
  double second = 0;
};

struct HitMissModel {
  double hit_share = 0;
  LatencyPopulation hit;  // lognormal
  MissShape miss_shape = MissShape::kGamma;
  LatencyPopulation miss;
  double log_likelihood = 0;
};

struct HitMissFit {
  bool two_populations = false;  // false: the rest says nothing
  HitMissModel model;
  double hit_ratio = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
  double hit_ns = 0;                            // median of hits
  double miss_ns = 0;                           // mean of misses
  std::vector<std::optional<double>> by_block;  // hit ratio of each block of 50 reads and more
};

// Latencies in ns. Fewer than 100 of them are one population.
[[nodiscard]] HitMissFit fit_hits_and_misses(const BlockedSamples& latencies);
// The border set by hand: reads that take less are hits.
[[nodiscard]] HitMissFit hits_below(const BlockedSamples& latencies, std::uint64_t border_ns);

}  // namespace rigel
