// SHARDS: the LRU curve of a sample of the pages. Waldspurger, Park, Garthwaite, Ahmad, "Efficient
// MRC construction with SHARDS", FAST 2015. A page is in the sample when a hash of its address
// falls below a threshold, so all its accesses are or none; a distance among sampled pages stands
// for 1/rate times that distance among all. Misses are estimated and hits are the rest of the known
// number of accesses, which is the paper's correction SHARDS-adj put as a sum.
//
// Fixed rate: memory is the rate's share of the exact curve's. Fixed size: whenever the sample
// exceeds `max_pages` the rate is halved and pages and counts are thinned to match, so memory stays
// bounded whatever comes. (The paper lowers its threshold one page at a time; halving needs no
// order of the pages by hash and keeps between max_pages / 2 and max_pages of them.)
//
// A sample of pages says nothing of whole requests: only counts by page and by byte are estimated.
// For I/O as it happens see live_curve.hpp. One thread at a time; throws nothing of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/page_sample.hpp"

namespace rigel {

struct ShardsOptions {
  double rate = 1;            // of the pages, above 0 and at most 1; where a fixed size starts
  std::size_t max_pages = 0;  // fixed size; 0 for none
  std::uint64_t seed = 0;     // other seeds draw other samples
};

class ShardsSampler final : public BlockConsumer {
 public:
  explicit ShardsSampler(const ShardsOptions& options);

  // All accesses of a block; it need not be numbered.
  void add(const PageBlock& block) override;
  void finish(const GoOn& go_on) override;
  // Of everything until now.
  [[nodiscard]] MissRatioCurve curve() const { return sample_.curve({rate_, total_}); }
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] std::size_t pages() const { return sample_.pages(); }  // in the sample
  [[nodiscard]] const AccessCounts& total() const { return total_; }

  // Feeds the sampled accesses, numbered, to this consumer too (a cache scaled by the rate, which
  // must be fixed). It is not owned.
  void attach(BlockConsumer& consumer) { attached_.push_back(&consumer); }

 private:
  void choose(const std::vector<std::uint64_t>& pages);
  void count(const std::vector<PageAccess>& accesses);

  std::uint64_t seed_;
  std::uint64_t threshold_;
  double rate_;
  std::size_t max_pages_;
  PageSample sample_;
  std::vector<std::uint32_t> chosen_;  // of the block under way, which are in the sample
  AccessCounts total_;
  std::vector<BlockConsumer*> attached_;
};

}  // namespace rigel
