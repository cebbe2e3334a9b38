// Resident pages by a rank that only grows while they are resident, for policies that evict the
// lowest. A hit does not touch the heap: the rank a page has there may be behind, and is put right
// when the page comes up. 24 bytes a resident page. One thread; no errors.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "model/cache/page_id.hpp"

namespace rigel {

struct PageRank {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend auto operator<=>(const PageRank&, const PageRank&) = default;
};

class RankHeap {
 public:
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void push(PageId page, PageRank rank) {
    entries_.push_back({rank, page});
    std::push_heap(entries_.begin(), entries_.end(), above);
  }
  // Removes the page of the lowest rank; `rank_of(page)` is what it is now.
  template <typename RankOf>
  PageId pop_lowest(RankOf rank_of) {
    for (;;) {
      std::pop_heap(entries_.begin(), entries_.end(), above);
      Entry& lowest = entries_.back();
      const PageRank now = rank_of(lowest.page);
      if (now == lowest.rank) break;
      lowest.rank = now;
      std::push_heap(entries_.begin(), entries_.end(), above);
    }
    const PageId page = entries_.back().page;
    entries_.pop_back();
    return page;
  }

 private:
  struct Entry {
    PageRank rank;
    PageId page;
  };
  static bool above(const Entry& a, const Entry& b) { return a.rank > b.rank; }
  std::vector<Entry> entries_;
};

}  // namespace rigel
