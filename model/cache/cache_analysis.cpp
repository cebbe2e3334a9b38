#include "model/cache/cache_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "model/cache/block_consumer.hpp"
#include "model/cache/cache_simulator.hpp"
#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"
#include "model/cache/parallel.hpp"
#include "model/cache/shards.hpp"
#include "model/cache/short_stack.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

constexpr std::size_t kParallelBlock = 1U << 16;  // long enough to be worth handing to a thread
constexpr double kTooManyPages = 0x1p32 - 1;
constexpr const char* kTooManyPagesText = "a simulated cache of more than 2^32 - 2 pages";
constexpr double kDeepestHead = 0x1p48;
constexpr double kResolvedPages = 256;  // sampled pages from which on a size is left to the sample

// What each cache holds of the trace's pages, in units of so many bytes.
std::vector<std::uint64_t> sizes_in(std::uint64_t unit_bytes, const CacheQuestion& question) {
  if (!(question.cache_share > 0 && question.cache_share <= 1)) {
    throw UsageError{"a share of a cache must be above 0 and at most 1"};
  }
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t bytes : question.cache_bytes) {
    const auto own_bytes =
        question.cache_share == 1
            ? bytes
            : static_cast<std::uint64_t>(question.cache_share * static_cast<double>(bytes));
    sizes.push_back(own_bytes / unit_bytes);
    if (sizes.back() == 0) {
      throw UsageError{fmt::format("a cache of {} holds no page of {}", format_bytes(own_bytes),
                                   format_bytes(unit_bytes))};
    }
  }
  return sizes;
}

// A cache of `pages` as seen by a sample at `rate`.
std::unique_ptr<CacheSimulator> make_cache(const std::string& policy, std::uint64_t pages,
                                           double rate = 1) {
  const double scaled = std::max(1.0, std::round(static_cast<double>(pages) * rate));
  if (scaled >= kTooManyPages) throw UsageError{kTooManyPagesText};
  return find_policy(policy).make(static_cast<std::uint32_t>(scaled));
}

std::unique_ptr<ControllerSimulator> make_controller(const std::string& policy,
                                                     std::uint64_t segments,
                                                     const ControllerOptions& options) {
  const PolicyEntry& entry = find_policy(policy);
  if (entry.make_controller == nullptr) {
    throw UsageError{policy + " is a bound for plain caches: no array's cache can run it"};
  }
  if (std::max(segments, options.flash_segments) >= static_cast<std::uint64_t>(kTooManyPages)) {
    throw UsageError{kTooManyPagesText};
  }
  const std::uint64_t pages = segments * options.pages_per_segment;
  if (options.read_ahead_pages > pages)
    throw UsageError{"the cache is smaller than what is read ahead"};
  return entry.make_controller(static_cast<std::uint32_t>(segments), options);
}

// One pass: while the consumers work on a block, the next one is read, and numbered if they need
// it.
void run_pass(TraceSource& source, const CacheQuestion& question, bool numbered,
              const std::vector<BlockConsumer*>& consumers, CacheAnswer& answer) {
  PageStreamOptions options = question.stream;
  if (question.threads > 1) options.block_accesses = kParallelBlock;
  PageStream stream{source, options};
  PageIndex index;
  PageBlock current;
  PageBlock next;
  const auto go_on = [&] { return !question.go_on || question.go_on(); };
  const auto read = [&](PageBlock& block) {
    const bool more = go_on() && stream.next(block);
    if (more && numbered) index.number(block);
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
  answer.requests = stream.requests();
  answer.warm_up_requests = stream.warm_up_requests();
  answer.duration_ns = stream.duration_ns();
  parallel_for(consumers.size(), question.threads,
               [&](std::size_t task) { consumers[task]->finish(go_on); });
}

struct SimulatedCache {
  std::size_t result = 0;  // which of the answer's
  std::unique_ptr<CacheSimulator> simulator;
};

struct SimulatedController {
  std::size_t result = 0;
  std::unique_ptr<ControllerSimulator> simulator;
};

EstimatedRatios exactly(const HitRatios& ratios) {
  return {ratios, ratios.page, ratios.page};
}

void analyze_exactly(TraceSource& source, const CacheQuestion& question,
                     const std::vector<std::uint64_t>& sizes, CacheAnswer& answer) {
  LruCurve lru{sizes};
  GroupedHits grouped{sizes};
  WorkingSet working_set;
  std::vector<SimulatedCache> caches;
  std::vector<BlockConsumer*> consumers{&lru};
  if (question.stream.group_by != GroupBy::kNothing) consumers.push_back(&grouped);
  if (question.stream.window_ns != 0) consumers.push_back(&working_set);
  std::vector<SimulatedController> controllers;
  std::vector<std::uint64_t> segments;
  if (question.controller) {
    segments =
        sizes_in(std::uint64_t{question.stream.page_bytes} * question.controller->pages_per_segment,
                 question);
  }
  for (std::size_t i = 0; i < answer.results.size(); ++i) {
    const std::string& policy = answer.results[i].policy;
    if (question.controller) {
      const std::uint64_t size = segments[i % segments.size()];
      controllers.push_back({i, make_controller(policy, size, *question.controller)});
      consumers.push_back(controllers.back().simulator.get());
    } else if (policy != "lru") {
      caches.push_back({i, make_cache(policy, sizes[i % sizes.size()])});
      consumers.push_back(caches.back().simulator.get());
    }
  }
  run_pass(source, question, true, consumers, answer);

  answer.exact = lru.curve();
  answer.total = answer.exact->total();
  answer.cold = answer.exact->cold();
  answer.distinct_pages = answer.exact->distinct_pages();
  answer.groups = grouped.groups();
  answer.windows = working_set.windows();
  for (const SimulatedCache& cache : caches) {
    const HitTally& tally = cache.simulator->tally();
    answer.results[cache.result].ratios = exactly(hit_ratios(tally.hits(), tally.total()));
  }
  for (const SimulatedController& cache : controllers) {
    const HitTally& tally = cache.simulator->tally();
    answer.results[cache.result].ratios = exactly(hit_ratios(tally.hits(), tally.total()));
    answer.results[cache.result].controller = cache.simulator->counts();
  }
}

// One sample with the miniature caches that its pages go through.
struct Sample {
  ShardsSampler sampler;
  std::vector<SimulatedCache> caches;

  // What a miniature cache says of the full one: misses scaled up, hits the rest.
  [[nodiscard]] HitRatios ratios(const SimulatedCache& cache) const {
    const HitTally& tally = cache.simulator->tally();
    AccessCounts misses = tally.total();
    misses.combine(tally.hits(), [](double all, double hits) { return all - hits; });
    AccessCounts hits = sampler.total();
    hits.combine(misses,
                 [this](double all, double missed) { return all - missed / sampler.rate(); });
    return hit_ratios(hits, sampler.total());
  }
};

void refuse_unsampled_questions(const CacheQuestion& question) {
  const SamplingQuestion& sampling = *question.sampling;
  if (!(sampling.rate > 0 && sampling.rate <= 1)) {
    throw UsageError{"a sampling rate must be above 0 and at most 1"};
  }
  if (sampling.samples < 2) throw UsageError{"an interval takes at least 2 samples"};
  if (question.stream.group_by != GroupBy::kNothing || question.stream.window_ns != 0) {
    throw UsageError{"groups and time windows are not sampled: leave the sampling out"};
  }
  if (question.controller) {
    throw UsageError{"what an array's controller does is not sampled: leave the sampling out"};
  }
  const bool lru_only = std::all_of(question.policies.begin(), question.policies.end(),
                                    [](const std::string& policy) { return policy == "lru"; });
  if (sampling.max_pages != 0 && !lru_only) {
    throw UsageError{"a sample of fixed size is for lru only: give a rate for other policies"};
  }
}

void analyze_samples(TraceSource& source, const CacheQuestion& question,
                     const std::vector<std::uint64_t>& sizes, CacheAnswer& answer) {
  refuse_unsampled_questions(question);
  const SamplingQuestion& sampling = *question.sampling;
  const double finest = sampling.max_pages == 0
                            ? std::min(kResolvedPages / sampling.rate, kDeepestHead)
                            : static_cast<double>(std::max<std::size_t>(sampling.max_pages, 256));
  const std::uint64_t head_pages =
      sampling.exact_below_pages.value_or(static_cast<std::uint64_t>(finest));
  std::optional<ShortStack> head;
  std::vector<BlockConsumer*> consumers;
  if (head_pages != 0) consumers.push_back(&head.emplace(head_pages, sizes));
  std::vector<std::unique_ptr<Sample>> samples;
  for (unsigned number = 0; number < sampling.samples; ++number) {
    const ShardsOptions options{sampling.rate, sampling.max_pages,
                                sampling.seed * sampling.samples + number};
    Sample& sample = *samples.emplace_back(new Sample{ShardsSampler{options}, {}});
    for (std::size_t i = 0; i < answer.results.size(); ++i) {
      const std::string& policy = answer.results[i].policy;
      if (policy == "lru") continue;
      sample.caches.push_back({i, make_cache(policy, sizes[i % sizes.size()], sampling.rate)});
      sample.sampler.attach(*sample.caches.back().simulator);
    }
    consumers.push_back(&sample.sampler);
  }
  run_pass(source, question, false, consumers, answer);

  std::vector<MissRatioCurve> curves;
  double rates = 0;
  for (const std::unique_ptr<Sample>& sample : samples) {
    curves.push_back(sample->sampler.curve());
    rates += sample->sampler.rate();
  }
  answer.sampled = true;
  answer.sample_rate = rates / static_cast<double>(samples.size());
  std::optional<MissRatioCurve> head_curve;
  if (head) head_curve = head->curve();
  answer.estimate = SampledCurve{std::move(curves), std::move(head_curve), head_pages,
                                 head.has_value() && head->complete()};
  answer.total = answer.estimate->total();
  if (head) answer.total.requests = head->curve().total().requests;
  answer.cold = answer.estimate->cold();
  answer.distinct_pages = answer.estimate->distinct_pages();
  for (std::size_t i = 0; i < samples.front()->caches.size(); ++i) {
    std::vector<HitRatios> estimates;
    for (const std::unique_ptr<Sample>& sample : samples) {
      if (sample->sampler.pages() == 0 && answer.total.all_pages() > 0) continue;
      estimates.push_back(sample->ratios(sample->caches[i]));
    }
    answer.results[samples.front()->caches[i].result].ratios =
        combine_estimates(estimates, 0, 1 / (rates * answer.total.all_pages()));
  }
}

}  // namespace

EstimatedRatios CacheAnswer::lru_at(std::uint64_t cache_pages) const {
  return exact ? exactly(exact->at(cache_pages)) : estimate->at(cache_pages);
}

std::optional<std::uint64_t> CacheAnswer::pages_for_share(double share) const {
  return exact ? exact->pages_for_share(share) : estimate->pages_for_share(share);
}

CacheAnswer analyze_cache(TraceSource& source, const CacheQuestion& question) {
  const std::vector<std::uint64_t> sizes = sizes_in(question.stream.page_bytes, question);
  CacheAnswer answer;
  for (const std::string& policy : question.policies) {
    for (const std::uint64_t bytes : question.cache_bytes) {
      answer.results.push_back({.policy = policy, .cache_bytes = bytes});
    }
  }
  if (question.sampling) {
    analyze_samples(source, question, sizes, answer);
  } else {
    analyze_exactly(source, question, sizes, answer);
  }
  for (std::size_t i = 0; i < answer.results.size(); ++i) {
    if (answer.results[i].policy != "lru" || question.controller) continue;
    answer.results[i].ratios = answer.lru_at(sizes[i % sizes.size()]);
  }
  return answer;
}

}  // namespace rigel
