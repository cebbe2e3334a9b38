// Least frequently used: the count of a page's accesses is kept when it leaves, as in Aho, Denning,
// Ullman, "Principles of optimal page replacement", JACM 18(1), 1971, and in the tables of the ARC
// paper. Among equals the least recently used goes.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/rank_heap.hpp"

namespace rigel {

class LfuPolicy {
 public:
  static constexpr std::string_view kName = "lfu";
  static constexpr std::string_view kDescription =
      "least frequently used, counting since the start";

  explicit LfuPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) {
    rank_.resize(pages);
    resident_.resize(pages);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    const bool hit = resident(page);
    if (!hit && heap_.size() == capacity_) {
      const PageId victim = heap_.pop_lowest([this](PageId lowest) { return rank_[lowest]; });
      resident_[victim] = 0;
      evicted(victim);
    }
    rank_[page] = {rank_[page].first + 1, ++now_};
    if (!hit) {
      heap_.push(page, rank_[page]);
      resident_[page] = 1;
    }
    return hit;
  }
  [[nodiscard]] bool resident(PageId page) const { return resident_[page] != 0; }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  void prefetch(PageId page) const {
    __builtin_prefetch(&rank_[page], 1);
    __builtin_prefetch(&resident_[page], 1);
  }
  void prefetch_more(PageId) const {}

 private:
  std::uint32_t capacity_;
  std::uint64_t now_ = 0;
  std::vector<PageRank> rank_;  // (accesses, the last of them)
  std::vector<std::uint8_t> resident_;
  RankHeap heap_;
};

}  // namespace rigel
