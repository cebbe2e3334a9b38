// Which share of reads were cache hits, told from their latencies alone: hits are one population, a
// narrow one, misses another, slower and wider; the mixture of latency_mixture.hpp is fitted to
// them.
//
// There are two populations only when the mixture is likelier than any single lognormal or gamma
// and its density over log latency has two peaks with a valley between them: any smooth population
// that is neither lognormal nor gamma is fitted better by two, too. There are more than two when
// the mixture is not what was measured, by Kolmogorov's distance: then its share of hits means
// nothing.
//
// The interval is a block bootstrap's (distribution_distance.hpp): the fit anew to blocks drawn
// with replacement, or to single reads where blocks are few; its half width is Student's quantile
// times their standard deviation, and more by what the mixture misses of what was measured and by
// half of the misses that it takes to be as fast as hits.
// Latencies are known to 1.6 % (log_bins.hpp). Pure functions; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/compare/blocked_samples.hpp"
#include "model/compare/latency_mixture.hpp"

namespace rigel {

struct HitMissFit {
  bool two_populations = false;   // false: the rest says nothing
  bool more_populations = false;  // why two_populations is false
  LatencyMixture model;
  double hit_ratio = 0;
  double low = 0;  // the 95 % interval
  double high = 1;
  double hit_ns = 0;                            // median of hits
  double miss_ns = 0;                           // mean of misses
  std::vector<std::optional<double>> by_block;  // hit ratio of each block of 50 reads and more
};

// Latencies in ns. Fewer than 100 of them are one population.
[[nodiscard]] HitMissFit fit_hits_and_misses(const BlockedSamples& latencies);
// Half the width of the 95 % interval of a share counted over so many, with one more hit and one
// more miss than counted on either side, so that none is not certain (A. Agresti, B. A. Coull, Am.
// Stat. 52, 1998).
[[nodiscard]] double noise_of_share(double share, double count);
// The border set by hand: reads that take less are hits.
[[nodiscard]] HitMissFit hits_below(const BlockedSamples& latencies, std::uint64_t border_ns);

}  // namespace rigel
