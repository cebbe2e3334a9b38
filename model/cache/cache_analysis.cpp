#include "model/cache/cache_analysis.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "model/cache/block_consumer.hpp"
#include "model/cache/cache_simulator.hpp"
#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"
#include "model/cache/parallel.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

constexpr std::size_t kParallelBlock = 1U << 16;  // long enough to be worth handing to a thread

std::vector<std::uint64_t> sizes_in_pages(const CacheQuestion& question) {
  std::vector<std::uint64_t> pages;
  for (const std::uint64_t bytes : question.cache_bytes) {
    pages.push_back(bytes / question.stream.page_bytes);
    if (pages.back() == 0) {
      throw UsageError{fmt::format("a cache of {} holds no page of {}", format_bytes(bytes),
                                   format_bytes(question.stream.page_bytes))};
    }
  }
  return pages;
}

struct SimulatedCache {
  std::size_t result = 0;  // which of the answer's
  std::unique_ptr<CacheSimulator> simulator;
};

// One pass: while the consumers work on a block, the next one is read.
void run_pass(TraceSource& source, const CacheQuestion& question,
              const std::vector<BlockConsumer*>& consumers) {
  PageStreamOptions options = question.stream;
  if (question.threads > 1) options.block_accesses = kParallelBlock;
  PageStream stream{source, options};
  PageIndex index;
  PageBlock current;
  PageBlock next;
  const auto read = [&](PageBlock& block) {
    const bool stopped = question.stop != nullptr && question.stop->load();
    const bool more = !stopped && stream.next(block);
    if (more) index.number(block);
    return more;
  };
  bool more = read(current);
  while (more) {
    parallel_for(consumers.size() + 1, question.threads, [&](std::size_t task) {
      if (task == 0) {
        more = read(next);
      } else {
        consumers[task - 1]->add(current);
      }
    });
    std::swap(current, next);
  }
  parallel_for(consumers.size(), question.threads,
               [&](std::size_t task) { consumers[task]->finish(); });
}

}  // namespace

CacheAnswer analyze_cache(TraceSource& source, const CacheQuestion& question) {
  const std::vector<std::uint64_t> sizes = sizes_in_pages(question);
  CacheAnswer answer;
  LruCurve lru{sizes};
  std::vector<SimulatedCache> caches;
  for (const std::string& policy : question.policies) {
    const PolicyEntry& entry = find_policy(policy);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      answer.results.push_back({policy, question.cache_bytes[i], {}});
      if (policy == "lru") continue;
      if (sizes[i] >= 0xffffffffU) throw UsageError{"a cache of more than 2^32 - 2 pages"};
      caches.push_back(
          {answer.results.size() - 1, entry.make(static_cast<std::uint32_t>(sizes[i]))});
    }
  }
  std::vector<BlockConsumer*> consumers{&lru};
  for (const SimulatedCache& cache : caches) consumers.push_back(cache.simulator.get());
  run_pass(source, question, consumers);

  answer.lru = lru.curve();
  answer.total = answer.lru->total();
  answer.cold = answer.lru->cold();
  answer.distinct_pages = answer.lru->distinct_pages();
  for (const SimulatedCache& cache : caches) {
    const HitTally& tally = cache.simulator->tally();
    answer.results[cache.result].ratios = hit_ratios(tally.hits(), tally.total());
  }
  for (CacheResult& result : answer.results) {
    if (result.policy == "lru") {
      result.ratios = answer.lru->at(result.cache_bytes / question.stream.page_bytes);
    }
  }
  return answer;
}

}  // namespace rigel
