// Speed and memory of the cache model, one case a run, on a trace that is in memory when the clock
// starts:
//   model_bench write FILE                 the 24-byte records libCacheSim reads (oracleGeneral)
//   model_bench sampled RATE               prints: sampled ratios and intervals beside exact ones;
//                                          fails when one is off by 0.01 or more
//   model_bench CASE [PAGES]               prints: user seconds, Mreq/s, peak MiB, hit ratio
// CASE is a policy's name (at PAGES pages, 100000 unless given), "curve" (exact), or
// "shards:RATE[:HEAD]" (one sample, and an exact head of so many pages).
// The trace is 10 M draws over 1 M pages by Zipf's law with exponent 1.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "model/cache/cache_analysis.hpp"
#include "model/cache/cache_simulator.hpp"
#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"
#include "model/cache/shards.hpp"
#include "model/cache/short_stack.hpp"

namespace rigel {
namespace {

constexpr std::size_t kDraws = 10'000'000;
constexpr std::uint64_t kPages = 1'000'000;
constexpr std::uint32_t kPageBytes = 4096;

std::vector<std::uint32_t> zipf_draws() {
  std::vector<double> cumulative(kPages);
  double sum = 0;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    cumulative[i] = sum += 1 / static_cast<double>(i + 1);
  }
  std::vector<std::uint32_t> page_of_rank(kPages);
  for (std::uint32_t i = 0; i < kPages; ++i) page_of_rank[i] = i;
  std::mt19937_64 random{1};
  std::shuffle(page_of_rank.begin(), page_of_rank.end(), random);
  std::uniform_real_distribution<double> uniform{0, sum};
  std::vector<std::uint32_t> draws(kDraws);
  for (std::uint32_t& page : draws) {
    const auto rank = std::lower_bound(cumulative.begin(), cumulative.end(), uniform(random));
    page = page_of_rank[static_cast<std::size_t>(rank - cumulative.begin())];
  }
  return draws;
}

// Hands its batches over as they are: reading a file is not what is measured.
class DrawnTrace final : public TraceSource {
 public:
  explicit DrawnTrace(const std::vector<std::uint32_t>& draws) {
    for (std::size_t at = 0; at < draws.size();) {
      RecordBatch& batch = batches_.emplace_back();
      batch.reset({Column::kDevice, Column::kOffset, Column::kLength, Column::kOp});
      batch.resize(std::min<std::size_t>(16384, draws.size() - at));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        batch.offset_bytes[i] = std::uint64_t{draws[at++]} * kPageBytes;
        batch.length_bytes[i] = kPageBytes;
      }
    }
  }
  bool next(RecordBatch& batch) override {
    if (at_ == batches_.size()) return false;
    std::swap(batch, batches_[at_++]);
    return true;
  }
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  std::vector<RecordBatch> batches_;
  std::size_t at_ = 0;
  TraceTables tables_;
};

int write_oracle_general(const char* path) {
  std::ofstream file{path, std::ios::binary};
  std::uint32_t second = 0;
  for (const std::uint32_t page : zipf_draws()) {
    // u32 time, u64 object, u32 size, i64 next access (unknown), packed
    char record[24];
    const std::uint32_t time = second++ / 1000;
    const std::uint64_t object = page + 1;
    const std::uint32_t size = 1;
    const std::int64_t next = -1;
    std::memcpy(record, &time, 4);
    std::memcpy(record + 4, &object, 8);
    std::memcpy(record + 12, &size, 4);
    std::memcpy(record + 16, &next, 8);
    file.write(record, sizeof record);
  }
  return file.flush() ? 0 : 1;
}

double user_seconds() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  return static_cast<double>(now.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(now.ru_utime.tv_usec);
}

// "VmRSS" or "VmHWM" (the peak) of this process, in MiB.
double memory_mib(const std::string& key) {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;) {
    if (word != key + ":") continue;
    double kib = 0;
    status >> kib;
    return kib / 1024;
  }
  return 0;
}

// From here on the peak is of what follows.
void reset_peak() {
  malloc_trim(0);
  std::ofstream{"/proc/self/clear_refs"} << "5";
}

template <typename PerBlock>
void each_block(PageStream& stream, PerBlock per_block) {
  PageBlock block;
  while (stream.next(block)) per_block(block);
}

double run_case(const std::string& name, std::uint32_t pages, PageStream& stream) {
  PageIndex index;
  if (name == "stream") {
    double sum = 0;
    each_block(stream, [&](PageBlock& block) { sum += static_cast<double>(block.size()); });
    return sum;
  }
  if (name == "index") {
    each_block(stream, [&](PageBlock& block) { index.number(block); });
    return static_cast<double>(index.size());
  }
  if (name == "curve") {
    LruCurve lru{{pages}};
    each_block(stream, [&](PageBlock& block) {
      index.number(block);
      lru.add(block);
    });
    return lru.curve().at(pages).page;
  }
  if (name.starts_with("shards:")) {
    const std::size_t colon = name.find(':', 7);
    ShardsSampler sampler{{.rate = std::stod(name.substr(7))}};
    const std::size_t depth = colon == std::string::npos ? 0 : std::stoul(name.substr(colon + 1));
    ShortStack head{depth};
    each_block(stream, [&](PageBlock& block) {
      sampler.add(block);
      if (depth != 0) head.add(block);
    });
    return depth >= pages ? head.curve().at(pages).page : sampler.curve().at(pages).page;
  }
  const std::unique_ptr<CacheSimulator> cache = find_policy(name).make(pages);
  each_block(stream, [&](PageBlock& block) {
    index.number(block);
    cache->add(block);
  });
  cache->finish([] { return true; });
  return hit_ratios(cache->tally().hits(), cache->tally().total()).page;
}

// The sampled curve as `rigel model --shards RATE` makes it beside the exact one.
int compare_sampled(double rate) {
  DrawnTrace trace{zipf_draws()};
  CacheQuestion question;
  question.stream.page_bytes = kPageBytes;
  for (const std::uint64_t pages : {1000, 2000, 5000, 15000, 32768, 100'000, 200'000, 400'000}) {
    question.cache_bytes.push_back(pages * kPageBytes);
  }
  const CacheAnswer exact = analyze_cache(trace, question);
  DrawnTrace again{zipf_draws()};
  question.sampling = {.rate = rate};
  const CacheAnswer sampled = analyze_cache(again, question);
  fmt::print("{:>10} {:>8} {:>8} {:>19} {:>8}\n", "pages", "exact", "sampled", "95 % interval",
             "error");
  double worst = 0;
  for (std::size_t i = 0; i < exact.results.size(); ++i) {
    const EstimatedRatios& ratios = sampled.results[i].ratios;
    const double truth = exact.results[i].ratios.mean.page;
    worst = std::max(worst, std::abs(ratios.mean.page - truth));
    fmt::print("{:>10} {:8.4f} {:8.4f} {:8.4f} - {:8.4f} {:8.4f}\n",
               exact.results[i].cache_bytes / kPageBytes, truth, ratios.mean.page, ratios.low,
               ratios.high, std::abs(ratios.mean.page - truth));
  }
  return worst < 0.01 ? 0 : 1;
}

int measure(const std::string& name, std::uint32_t pages) {
  DrawnTrace trace{zipf_draws()};
  PageStream stream{trace, {.page_bytes = kPageBytes}};
  reset_peak();
  const double before_mib = memory_mib("VmRSS");
  const double before = user_seconds();
  const double result = run_case(name, pages, stream);
  const double seconds = user_seconds() - before;
  fmt::print("  rigel       {:<16} {:7.3f} s {:8.2f} Mreq/s {:6.0f} MiB  {:.4f}\n", name, seconds,
             static_cast<double>(kDraws) / seconds / 1e6, memory_mib("VmHWM") - before_mib, result);
  return 0;
}

}  // namespace
}  // namespace rigel

int main(int argc, char** argv) {
  if (argc == 3 && std::string{argv[1]} == "write") return rigel::write_oracle_general(argv[2]);
  if (argc == 3 && std::string{argv[1]} == "sampled") {
    return rigel::compare_sampled(std::stod(argv[2]));
  }
  if (argc < 2) {
    fmt::print(stderr, "usage: model_bench write FILE | sampled RATE | CASE [PAGES]\n");
    return 2;
  }
  return rigel::measure(argv[1],
                        argc > 2 ? static_cast<std::uint32_t>(std::stoul(argv[2])) : 100'000);
}
