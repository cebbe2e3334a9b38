// The two segments of a segmented LRU, which SLRU is and W-TinyLFU contains; see policy_slru.hpp.
// One thread; no errors.
#pragma once

#include <vector>

#include "model/cache/page_lists.hpp"

namespace rigel {

class SegmentedLru {
 public:
  explicit SegmentedLru(std::uint32_t capacity)
      : capacity_{capacity},
        protected_capacity_{static_cast<std::uint32_t>(std::uint64_t{capacity} * 8 / 10)} {}

  void grow(std::size_t pages) {
    lists_.grow(pages);
    place_.resize(pages, kAbsent);
  }
  [[nodiscard]] bool resident(PageId page) const { return place_[page] != kAbsent; }
  [[nodiscard]] std::size_t size() const {
    return lists_.size(kProbation) + lists_.size(kProtected);
  }
  [[nodiscard]] bool full() const { return size() == capacity_; }

  void hit(PageId page) {
    if (place_[page] == kProbation && protected_capacity_ == 0) {
      lists_.move_to_front(kProbation, kProbation, page);
      return;
    }
    lists_.move_to_front(place_[page], kProtected, page);
    place_[page] = kProtected;
    if (lists_.size(kProtected) > protected_capacity_) {
      const PageId demoted = lists_.back(kProtected);
      lists_.move_to_front(kProtected, kProbation, demoted);
      place_[demoted] = kProbation;
    }
  }
  // There must be room.
  void insert(PageId page) {
    lists_.push_front(kProbation, page);
    place_[page] = kProbation;
  }
  // Who goes next; there must be someone.
  [[nodiscard]] PageId victim() const {
    return lists_.back(lists_.size(kProbation) != 0 ? kProbation : kProtected);
  }
  PageId evict() {
    const PageId page = lists_.pop_back(lists_.size(kProbation) != 0 ? kProbation : kProtected);
    place_[page] = kAbsent;
    return page;
  }
  void prefetch(PageId page) const {
    __builtin_prefetch(&place_[page], 1);
    lists_.prefetch(page);
  }
  void prefetch_more(PageId page) const { lists_.prefetch_neighbours(page); }

 private:
  enum Place : std::uint8_t { kProbation, kProtected, kAbsent };

  std::uint32_t capacity_;
  std::uint32_t protected_capacity_;
  PageLists<2> lists_;
  std::vector<Place> place_;
};

}  // namespace rigel
