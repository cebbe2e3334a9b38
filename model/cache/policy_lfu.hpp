// Least frequently used, in-cache: a page's count begins when it comes in and is forgotten when it
// leaves. Among equals the least recently used goes.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/rank_heap.hpp"

namespace rigel {

class LfuPolicy {
 public:
  static constexpr std::string_view kName = "lfu";
  static constexpr std::string_view kDescription = "least frequently used while resident";

  explicit LfuPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) { rank_.resize(pages); }
  bool access(PageId page) {
    const bool hit = resident(page);
    if (!hit && heap_.size() == capacity_) {
      rank_[heap_.pop_lowest([this](PageId lowest) { return rank_[lowest]; })] = {};
    }
    rank_[page] = {rank_[page].first + 1, ++now_};
    if (!hit) heap_.push(page, rank_[page]);
    return hit;
  }
  [[nodiscard]] bool resident(PageId page) const { return rank_[page].first != 0; }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  void prefetch(PageId page) const { __builtin_prefetch(&rank_[page], 1); }
  void prefetch_more(PageId) const {}

 private:
  std::uint32_t capacity_;
  std::uint64_t now_ = 0;
  std::vector<PageRank> rank_;  // (hits and the miss that brought it, last access); 0: absent
  RankHeap heap_;
};

}  // namespace rigel
