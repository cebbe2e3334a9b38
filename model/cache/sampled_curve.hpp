// An LRU hit ratio with its error bar: several independent samples of the pages (SHARDS), their
// mean and a 95 % confidence interval, and for small caches, which samples cannot resolve, an exact
// curve.
//
// Beyond the depth H of the exact head, the samples say which share of the misses of a cache of H
// pages a cache of C pages still has; the head says how many those are:
//   misses(C) = misses(H) * sampled misses(C) / sampled misses(H).
// So estimates continue the head without a step and never leave [hits(H), 1].
//
// The interval is Student's over the spread of the samples, and makes two allowances for what no
// spread shows. Samples that all miss the same few pages agree and are wrong: one sampled access
// more or less is always possible. And a distance is seen in whole sampled pages: the bounds are
// those of caches half of one smaller and larger. Without the two, intervals covered the exact
// value in 91 % where 95 % is stated (tests/bench/sampled_coverage.cpp).
//
// A sample that holds no page says nothing and is left out.
// A value; safe to read from several threads; no errors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/cache/miss_ratio_curve.hpp"

namespace rigel {

struct EstimatedRatios {
  HitRatios mean;  // by page and by byte; request ratios are NaN, a sample of pages cannot tell
  double low = 0;  // of HitRatios::page; NaN with it when there are no accesses
  double high = 0;
};

// The mean of independent estimates and the interval for it; never outside [floor, 1], and all of
// that when there are fewer than two. The estimates themselves may be outside. `resolution` is what
// one sampled access more would change of the mean.
[[nodiscard]] EstimatedRatios combine_estimates(const std::vector<HitRatios>& estimates,
                                                double floor, double resolution);

class SampledCurve {
 public:
  // At least one sample, all of the same accesses. `head` is exact up to `head_pages`, or without
  // limit when `head_complete`.
  SampledCurve(std::vector<MissRatioCurve> samples, std::optional<MissRatioCurve> head,
               std::uint64_t head_pages, bool head_complete);

  [[nodiscard]] EstimatedRatios at(std::uint64_t cache_pages) const;
  [[nodiscard]] double distinct_pages() const;
  // Of the mean, as MissRatioCurve has it.
  [[nodiscard]] std::optional<std::uint64_t> pages_for_share(double share) const;
  [[nodiscard]] const AccessCounts& total() const { return samples_.front().total(); }
  [[nodiscard]] AccessCounts cold() const;

 private:
  [[nodiscard]] bool exact_at(std::uint64_t cache_pages) const {
    return head_ && (head_complete_ || cache_pages <= head_pages_);
  }
  [[nodiscard]] std::vector<AccessCounts> estimated_misses(std::uint64_t cache_pages) const;
  [[nodiscard]] EstimatedRatios interval(std::uint64_t cache_pages) const;

  std::vector<MissRatioCurve> samples_;
  std::optional<MissRatioCurve> head_;
  std::uint64_t head_pages_;
  bool head_complete_;
  double rates_ = 0;  // their sum
};

}  // namespace rigel
