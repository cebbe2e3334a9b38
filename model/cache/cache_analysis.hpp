// What caches would do with a trace, in one pass over it.
//
//   CacheQuestion question{.cache_bytes = {96ULL << 30}, .policies = {"lru", "arc"}};
//   CacheAnswer answer = analyze_cache(*source, question);
//
// LRU comes from the exact curve, which serves all sizes at once; every other policy is simulated
// at every size. Memory: 13 to 19 bytes for each distinct page (PageIndex), 5 for the curve, and
// what each simulated cache needs, 5 to 30 bytes a distinct page; see the policies. Runs in the
// caller's thread and `threads - 1` more. Throws Error for input that cannot be used and UsageError
// for a question that makes no sense.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cache/hit_ratio.hpp"
#include "model/cache/miss_ratio_curve.hpp"
#include "model/cache/page_stream.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct CacheQuestion {
  PageStreamOptions stream;  // the cache's page size, the warm-up, the time windows
  std::vector<std::uint64_t> cache_bytes;
  std::vector<std::string> policies{"lru"};
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  // set: end here and answer for what was read
};

struct CacheResult {
  std::string policy;
  std::uint64_t cache_bytes = 0;
  HitRatios ratios;
};

struct CacheAnswer {
  AccessCounts total;         // accesses after the warm-up
  AccessCounts cold;          // of them, the first to a page: a miss in every cache
  double distinct_pages = 0;  // the footprint, warm-up included
  std::optional<MissRatioCurve> lru;
  std::vector<CacheResult> results;  // policies as asked, sizes within each as asked
};

[[nodiscard]] CacheAnswer analyze_cache(TraceSource& source, const CacheQuestion& question);

}  // namespace rigel
