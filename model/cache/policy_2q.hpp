// 2Q, full version. Johnson, Shasha, "2Q: a low overhead high performance buffer management
// replacement algorithm", VLDB 1994: newcomers in a FIFO (A1in) of a quarter of the cache, the ids
// that left it (A1out) as many as half the cache holds, and an LRU of pages asked for again while
// they were such an id (Am). A hit in A1in does not move the page.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"

namespace rigel {

class TwoQueuePolicy {
 public:
  static constexpr std::string_view kName = "2q";
  static constexpr std::string_view kDescription = "2Q, full version (VLDB 1994)";

  explicit TwoQueuePolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) {
    lists_.grow(pages);
    place_.resize(pages, kAbsent);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    switch (place_[page]) {
      case kIn:
        return true;
      case kMain:
        lists_.move_to_front(kMain, kMain, page);
        return true;
      case kOut:
        // Off the list first, so that making room cannot push it off the end.
        lists_.remove(kOut, page);
        enter(kMain, page, evicted);
        return false;
      case kAbsent:
        enter(kIn, page, evicted);
        return false;
    }
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const {
    return place_[page] == kIn || place_[page] == kMain;
  }
  [[nodiscard]] std::size_t size() const { return lists_.size(kIn) + lists_.size(kMain); }
  void prefetch(PageId page) const {
    __builtin_prefetch(&place_[page], 1);
    lists_.prefetch(page);
  }
  void prefetch_more(PageId page) const { lists_.prefetch_neighbours(page); }

 private:
  enum Place : std::uint8_t { kIn, kMain, kOut, kAbsent };

  template <typename Evicted>
  void enter(Place place, PageId page, Evicted evicted) {
    if (size() == capacity_) evicted(reclaim());
    lists_.push_front(place, page);
    place_[page] = place;
  }
  PageId reclaim() {
    if (lists_.size(kIn) > capacity_ / 4 || lists_.size(kMain) == 0) {
      const PageId page = lists_.back(kIn);
      lists_.move_to_front(kIn, kOut, page);
      place_[page] = kOut;
      if (lists_.size(kOut) > capacity_ / 2) place_[lists_.pop_back(kOut)] = kAbsent;
      return page;
    }
    const PageId page = lists_.pop_back(kMain);
    place_[page] = kAbsent;
    return page;
  }

  std::uint32_t capacity_;
  PageLists<3> lists_;
  std::vector<Place> place_;
};

}  // namespace rigel
