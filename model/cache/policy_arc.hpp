// ARC, the adaptive replacement cache. Megiddo, Modha, "ARC: a self-tuning, low overhead
// replacement cache", FAST 2003, figure 4: pages seen once lately (T1) and at least twice (T2),
// with the ids of those that left either (B1, B2); a hit among the ids moves the target size of T1.
// The target is a real number, as in the paper: it moves by max(1, |B2|/|B1|) or its inverse.
#pragma once

#include <algorithm>
#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"

namespace rigel {

class ArcPolicy {
 public:
  static constexpr std::string_view kName = "arc";
  static constexpr std::string_view kDescription = "adaptive replacement cache (FAST 2003)";

  explicit ArcPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) {
    lists_.grow(pages);
    place_.resize(pages, kAbsent);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    switch (place_[page]) {
      case kT1:
      case kT2:
        lists_.move_to_front(place_[page], kT2, page);
        place_[page] = kT2;
        return true;
      case kB1:
        target_ = std::min(capacity_real(), target_ + step(kB2, kB1));
        evicted(replace(false));
        break;
      case kB2:
        target_ = std::max(0.0, target_ - step(kB1, kB2));
        evicted(replace(true));
        break;
      case kAbsent:
        make_room(evicted);
        lists_.push_front(kT1, page);
        place_[page] = kT1;
        return false;
    }
    lists_.move_to_front(place_[page], kT2, page);
    place_[page] = kT2;
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const {
    return place_[page] == kT1 || place_[page] == kT2;
  }
  [[nodiscard]] std::size_t size() const { return lists_.size(kT1) + lists_.size(kT2); }
  void prefetch(PageId page) const {
    __builtin_prefetch(&place_[page], 1);
    lists_.prefetch(page);
  }
  void prefetch_more(PageId page) const { lists_.prefetch_neighbours(page); }

 private:
  enum Place : std::uint8_t { kT1, kT2, kB1, kB2, kAbsent };

  [[nodiscard]] double capacity_real() const { return static_cast<double>(capacity_); }
  [[nodiscard]] double step(Place other, Place mine) const {
    return std::max(
        1.0, static_cast<double>(lists_.size(other)) / static_cast<double>(lists_.size(mine)));
  }
  PageId demote(Place from, Place to) {
    const PageId page = lists_.back(from);
    lists_.move_to_front(from, to, page);
    place_[page] = to;
    return page;
  }
  PageId forget(Place from) {
    const PageId page = lists_.pop_back(from);
    place_[page] = kAbsent;
    return page;
  }

  // The paper's REPLACE: the page that leaves the cache.
  PageId replace(bool found_in_b2) {
    const auto t1 = static_cast<double>(lists_.size(kT1));
    if (t1 >= 1 && (t1 > target_ || (found_in_b2 && t1 == target_))) {
      return demote(kT1, kB1);
    }
    return demote(kT2, kB2);
  }
  // The paper's case IV: a page that is on no list.
  template <typename Evicted>
  void make_room(Evicted evicted) {
    const std::size_t recent = lists_.size(kT1) + lists_.size(kB1);
    if (recent == capacity_) {
      if (lists_.size(kT1) == capacity_) {
        evicted(forget(kT1));
      } else {
        forget(kB1);
        evicted(replace(false));
      }
      return;
    }
    const std::size_t all = recent + lists_.size(kT2) + lists_.size(kB2);
    if (all < capacity_) return;
    if (all == 2 * std::size_t{capacity_}) forget(kB2);
    evicted(replace(false));
  }

  std::uint32_t capacity_;
  double target_ = 0;  // the paper's p: how many pages T1 should hold
  PageLists<4> lists_;
  std::vector<Place> place_;
};

}  // namespace rigel
