// The pages of one sample and their LRU curve, whoever chooses them: what ShardsSampler and
// LiveCurve have in common. One thread; no errors of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"

namespace rigel {

// Two rounds of the splitmix64 finaliser (Steele, Lea, Flood, OOPSLA 2014) of a page as PageBlock
// names it. Its leading bits decide whether the page is in a sample: page_hash() < threshold.
[[nodiscard]] constexpr std::uint64_t page_hash(std::uint64_t page, std::uint64_t seed) {
  std::uint64_t x = page + (seed + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  return (x ^ (x >> 27)) * 0x94d049bb133111ebU;
}

// The threshold that lets this share of the pages through, 0 to 1.
[[nodiscard]] constexpr std::uint64_t threshold_of(double rate) {
  return rate < 1 ? static_cast<std::uint64_t>(rate * 0x1p64) : ~std::uint64_t{0};
}

class PageSample {
 public:
  // An access to a page of the sample. It counts as no whole request.
  void add(std::uint64_t page, PageAccess access) {
    block_.pages.push_back(page);
    block_.accesses.emplace_back(access.bytes(), access.write(), false);
  }
  // Takes account of what was added since the last call: numbered, it is what is returned.
  const PageBlock& take(bool counted) {
    block_.counted = counted;
    index_.number(block_);
    lru_.add(block_);
    return block_;
  }
  void clear() {
    block_.pages.clear();
    block_.accesses.clear();
  }
  // Keeps only the pages that `keep(page)` says, about half of them, as a sample at half the rate.
  template <typename Keep>
  void halve(Keep keep) {
    std::vector<std::uint8_t> kept(index_.size());
    for (std::size_t id = 0; id < kept.size(); ++id) {
      kept[id] = keep(index_.key(static_cast<PageId>(id))) ? 1 : 0;
    }
    index_.retain(kept);
    lru_.retain(kept);
    lru_.halve();
  }
  [[nodiscard]] std::size_t pending() const { return block_.size(); }
  [[nodiscard]] std::size_t pages() const { return index_.size(); }
  [[nodiscard]] MissRatioCurve curve(const PageSampling& sampling) const {
    return lru_.curve(sampling);
  }

 private:
  // A sample of N pages knows a distance among them to one part in sqrt(N) at best: bins one part
  // in 2000 wide lose nothing and stay in the processor's cache.
  static constexpr unsigned kExactBits = 12;

  PageIndex index_;
  LruCurve lru_{{}, kExactBits};
  PageBlock block_;
};

}  // namespace rigel
