// What caches would do with a trace, in one pass over it.
//
//   CacheQuestion question{.cache_bytes = {96ULL << 30}, .policies = {"lru", "arc"}};
//   CacheAnswer answer = analyze_cache(*source, question);
//
// LRU comes from a curve, which serves all sizes at once; every other policy, and all in an array's
// cache, are simulated at every size. Without sampling all is exact. Memory then: 13 to 19 bytes
// for each distinct page (PageIndex), 5 for the curve, and what each simulated cache needs, 1 to 33
// bytes a distinct page. With sampling, several samples of the pages give LRU's curve and its error
// bar, and the other policies run on the sampled pages in caches as much smaller (miniature
// simulation: Waldspurger, Saemundsson, Ahmad, Park, "Cache modeling and optimization using
// miniature simulations", ATC 2017). Runs in the caller's thread and `threads - 1` more. Throws
// Error for input that cannot be used and UsageError for a question that makes no sense. A question
// can be ended early (go_on): then the answer is that of the trace until there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cache/controller_cache.hpp"
#include "model/cache/grouped_hits.hpp"
#include "model/cache/hit_ratio.hpp"
#include "model/cache/miss_ratio_curve.hpp"
#include "model/cache/page_stream.hpp"
#include "model/cache/sampled_curve.hpp"
#include "model/cache/working_set.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct SamplingQuestion {
  double rate = 1;            // of each sample; where a fixed size starts
  std::size_t max_pages = 0;  // fixed size: the most pages a sample may hold; 0 for a fixed rate
  unsigned samples = 8;       // independent ones; at least 2 for an interval
  std::uint64_t seed = 0;     // another one draws other samples
  // Sizes up to this are exact. Unset: as far as one sample has fewer than 256 pages.
  std::optional<std::uint64_t> exact_below_pages = std::nullopt;
};

struct CacheQuestion {
  PageStreamOptions stream;  // the cache's page size, the warm-up, groups, the time windows
  std::vector<std::uint64_t> cache_bytes;
  std::vector<std::string> policies{"lru"};
  double cache_share = 1;  // of each cache, above 0: the rest serves others
  std::optional<SamplingQuestion> sampling = std::nullopt;
  // How an array's controller runs the caches; unset: the policies as they are. Not sampled.
  std::optional<ControllerOptions> controller = std::nullopt;
  unsigned threads = 1;
  // Asked once a block, from any of the threads; unset: always.
  GoOn go_on = nullptr;
};

struct CacheResult {
  std::string policy;
  std::uint64_t cache_bytes = 0;
  EstimatedRatios ratios = {};  // exact: low and high are the ratio itself
  std::optional<ControllerCounts> controller = std::nullopt;
};

struct CacheAnswer {
  AccessCounts total;         // accesses after the warm-up
  AccessCounts cold;          // of them, the first to a page: a miss in every cache
  double distinct_pages = 0;  // the footprint, warm-up included
  bool sampled = false;
  double sample_rate = 1;                // what a fixed size came to
  std::uint64_t requests = 0;            // reads and writes, warm-up included
  std::uint64_t warm_up_requests = 0;    // of them, those that were not counted
  std::int64_t duration_ns = 0;          // of the trace; 0 unless a question needs its times
  std::optional<MissRatioCurve> exact;   // LRU's curve, one of
  std::optional<SampledCurve> estimate;  // the two
  std::vector<CacheResult> results;      // policies as asked, sizes within each as asked
  std::vector<GroupHits> groups;         // of LRU, if asked for; by device or stream index
  std::vector<WindowUse> windows;        // if asked for

  // Of LRU at any size.
  [[nodiscard]] EstimatedRatios lru_at(std::uint64_t cache_pages) const;
  // The smallest LRU cache that has this share of the hits an unlimited one has.
  // None when there are no hits to be had.
  [[nodiscard]] std::optional<std::uint64_t> pages_for_share(double share) const;
};

[[nodiscard]] CacheAnswer analyze_cache(TraceSource& source, const CacheQuestion& question);

}  // namespace rigel
