// LRU-2, LRU-K with K = 2. O'Neil, O'Neil, Weikum, "The LRU-K page replacement algorithm for
// database disk buffering", SIGMOD 1993: evicts the page whose last access but one is longest ago;
// pages accessed once only go first, among them the least recently used. History is kept after
// eviction (the paper's retained information period is unlimited here), and every access counts
// (its correlated reference period is 0).
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/rank_heap.hpp"

namespace rigel {

class Lru2Policy {
 public:
  static constexpr std::string_view kName = "lru2";
  static constexpr std::string_view kDescription = "LRU-K with K = 2 (SIGMOD 1993)";

  explicit Lru2Policy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) {
    history_.resize(pages);
    resident_.resize(pages);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    const bool hit = resident(page);
    if (!hit && heap_.size() == capacity_) {
      const PageId victim = heap_.pop_lowest([this](PageId lowest) { return history_[lowest]; });
      resident_[victim] = 0;
      evicted(victim);
    }
    history_[page] = {history_[page].second, ++now_};
    if (!hit) {
      heap_.push(page, history_[page]);
      resident_[page] = 1;
    }
    return hit;
  }
  [[nodiscard]] bool resident(PageId page) const { return resident_[page] != 0; }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  void prefetch(PageId page) const {
    __builtin_prefetch(&history_[page], 1);
    __builtin_prefetch(&resident_[page], 1);
  }
  void prefetch_more(PageId) const {}

 private:
  std::uint32_t capacity_;
  std::uint64_t now_ = 0;
  std::vector<PageRank> history_;  // (last access but one, last access); 0: there was none
  std::vector<std::uint8_t> resident_;
  RankHeap heap_;
};

}  // namespace rigel
