// The hit ratio of an LRU cache of every size, from one pass: a histogram of stack distances.
// Exact and sampled curves are this one type. A value owned by whoever holds it; reading it from
// several threads is fine. No errors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cache/distance_bins.hpp"
#include "model/cache/hit_ratio.hpp"

namespace rigel {

// How the pages behind a curve were chosen from all of them.
struct PageSampling {
  double rate = 1;     // the share of the pages
  AccessCounts total;  // accesses to all pages, which are known exactly
};

class MissRatioCurve {
 public:
  // `histogram[i]` counts the accesses whose distance falls into bin i of `bins`, `cold` those to
  // pages never seen before.
  MissRatioCurve(DistanceBins bins, const std::vector<AccessCounts>& histogram,
                 const AccessCounts& cold, double distinct_pages);
  // Of a sample: distances and counts are scaled to all pages. Misses are estimated, hits are the
  // rest of the known total: the few hot pages, which hardly miss, decide how many accesses a
  // sample happens to hold (the correction "SHARDS-adj", see shards.hpp).
  MissRatioCurve(DistanceBins bins, const std::vector<AccessCounts>& histogram,
                 const AccessCounts& cold, double distinct_pages, const PageSampling& sampling);

  // Of a cache of so many pages. Exact at the sizes the bins know, between them interpolated.
  [[nodiscard]] AccessCounts hits(std::uint64_t cache_pages) const;
  // The others. A sample may by chance estimate more of them than there are accesses, and says so
  // here: whoever takes the mean of several samples would find too few if that were cut off first.
  [[nodiscard]] AccessCounts misses(std::uint64_t cache_pages) const;
  [[nodiscard]] HitRatios at(std::uint64_t cache_pages) const {
    return hit_ratios(hits(cache_pages), total_);
  }

  [[nodiscard]] const AccessCounts& total() const { return total_; }
  // Misses of a cache of any size: the first access to every page.
  [[nodiscard]] const AccessCounts& cold() const { return cold_; }
  [[nodiscard]] double distinct_pages() const { return distinct_pages_; }
  [[nodiscard]] double rate() const { return rate_; }  // of the pages behind it

  // The smallest cache, in pages, that has this share (0..1) of the page hits of an unlimited one;
  // none when that has no hits either.
  [[nodiscard]] std::optional<std::uint64_t> pages_for_share(double share) const;

 private:
  DistanceBins bins_;
  std::vector<AccessCounts> hits_below_;  // [i]: with a distance below bin i
  AccessCounts cold_;
  AccessCounts total_;
  AccessCounts estimated_total_;  // by the sample alone; total_ otherwise
  double rate_ = 1;
  double distinct_pages_ = 0;
};

}  // namespace rigel
