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
// For live use access() takes one page at a time, and curve() may be asked for at any moment.
// One thread at a time; throws nothing of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"

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
  void access(std::uint32_t device, std::uint64_t page, PageAccess access) {
    total_.add_page(access);
    const std::uint64_t key = static_cast<std::uint64_t>(device) << kPageNumberBits | page;
    if (sampled(key)) take_live(key, access);
  }
  // Of everything until now.
  [[nodiscard]] MissRatioCurve curve();
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] std::size_t pages() const { return index_.size(); }  // in the sample
  [[nodiscard]] const AccessCounts& total() const { return total_; }

  // Feeds the sampled accesses, numbered, to this consumer too (a cache scaled by the rate, which
  // must be fixed). It is not owned.
  void attach(BlockConsumer& consumer) { attached_.push_back(&consumer); }

 private:
  [[nodiscard]] bool sampled(std::uint64_t key) const { return hash(key, seed_) < threshold_; }
  // Two rounds of the splitmix64 finaliser, of which only the leading bits are looked at.
  [[nodiscard]] static std::uint64_t hash(std::uint64_t key, std::uint64_t seed) {
    std::uint64_t x = key + seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    return (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  }
  void take_live(std::uint64_t key, PageAccess access);
  void add_sample();
  void thin_out();

  std::uint64_t seed_;
  std::uint64_t threshold_;
  double rate_;
  std::size_t max_pages_;
  PageIndex index_;
  LruCurve lru_{{}};
  AccessCounts total_;
  PageBlock sample_;  // the sampled accesses under way
  std::vector<BlockConsumer*> attached_;
};

}  // namespace rigel
