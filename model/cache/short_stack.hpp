// The exact LRU curve up to a depth: distances below `depth_pages` are exact, everything deeper
// counts as cold. Memory is bounded by the depth, not by the trace: some 50 bytes for each page of
// it. The head of a sampled curve, whose small sizes a sample of the pages cannot resolve.
// One thread; no errors of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/lru_curve.hpp"
#include "model/cache/page_index.hpp"

namespace rigel {

class ShortStack final : public BlockConsumer {
 public:
  explicit ShortStack(std::size_t depth_pages, std::vector<std::uint64_t> sizes_pages = {})
      : depth_{depth_pages}, lru_{std::move(sizes_pages)} {}

  // The block need not be numbered.
  void add(const PageBlock& block) override {
    index_.number(block.pages, ids_);
    lru_.add(block, ids_);
    if (index_.size() < 2 * depth_ + kSlack) return;
    const std::vector<std::uint8_t> keep = lru_.newest(depth_);
    index_.retain(keep);
    lru_.retain(keep);
    complete_ = false;
  }
  // Valid up to depth(), and everywhere if the trace had no more pages than that.
  [[nodiscard]] MissRatioCurve curve() const { return lru_.curve(); }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  // Nothing was left out: the curve is exact at every size.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  static constexpr std::size_t kSlack = 4096;  // pages more before it is worth forgetting any

  std::size_t depth_;
  PageIndex index_;
  LruCurve lru_;
  std::vector<PageId> ids_;
  bool complete_ = true;
};

}  // namespace rigel
