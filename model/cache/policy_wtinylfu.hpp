// W-TinyLFU. Einziger, Friedman, Manes, "TinyLFU: a highly efficient cache admission policy", ACM
// Transactions on Storage 13(4), 2017, section 4: a window LRU of 1 % of the cache before a
// segmented LRU (80 % protected); who leaves the window takes the place of the main cache's victim
// only when it was asked for more often of late. Counts stop at 15 and are halved after every ten
// accesses for each page of the cache (the paper's sample size).
//
// The paper approximates the counts by a sketch to save memory. Here every page has its own: the
// ratios are those of a sketch without collisions. No adaptive window (a later paper's).
#pragma once

#include <algorithm>
#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"
#include "model/cache/segmented_lru.hpp"

namespace rigel {

class WTinyLfuPolicy {
 public:
  static constexpr std::string_view kName = "wtinylfu";
  static constexpr std::string_view kDescription = "W-TinyLFU, 1 % window (TOS 2017)";

  explicit WTinyLfuPolicy(std::uint32_t capacity)
      : window_capacity_{std::max(1U, capacity / 100)},
        main_capacity_{capacity - window_capacity_},
        main_{main_capacity_},
        sample_{std::uint64_t{capacity} * 10} {}
  void grow(std::size_t pages) {
    window_.grow(pages);
    main_.grow(pages);
    counts_.resize(pages);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    count(page);
    if (window_.linked(page)) {
      window_.move_to_front(0, 0, page);
      return true;
    }
    if (main_.resident(page)) {
      main_.hit(page);
      return true;
    }
    window_.push_front(0, page);
    if (window_.size(0) > window_capacity_) admit(window_.pop_back(0), evicted);
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const {
    return window_.linked(page) || main_.resident(page);
  }
  [[nodiscard]] std::size_t size() const { return window_.size(0) + main_.size(); }
  void prefetch(PageId page) const {
    window_.prefetch(page);
    main_.prefetch(page);
    __builtin_prefetch(&counts_[page], 1);
  }
  void prefetch_more(PageId page) const { main_.prefetch_more(page); }

 private:
  // Halved by reading it late: each count says in which period it was last touched.
  struct Count {
    std::uint32_t value : 4 = 0;
    std::uint32_t period : 28 = 0;
  };
  static constexpr std::uint32_t kPeriodMask = (1U << 28) - 1;

  [[nodiscard]] std::uint32_t frequency(PageId page) const {
    const Count count = counts_[page];
    const std::uint32_t periods = (period_ - count.period) & kPeriodMask;
    return periods < 4 ? static_cast<std::uint32_t>(count.value) >> periods : 0;
  }
  void count(PageId page) {
    if (++accesses_ == sample_) {
      accesses_ = 0;
      period_ = (period_ + 1) & kPeriodMask;
    }
    const std::uint32_t now = std::min(frequency(page) + 1, 15U);
    counts_[page].value = now & 15U;
    counts_[page].period = period_ & kPeriodMask;
  }
  template <typename Evicted>
  void admit(PageId candidate, Evicted evicted) {
    if (main_capacity_ == 0 ||
        (main_.full() && frequency(candidate) <= frequency(main_.victim()))) {
      evicted(candidate);
      return;
    }
    if (main_.full()) evicted(main_.evict());
    main_.insert(candidate);
  }

  std::uint32_t window_capacity_;
  std::uint32_t main_capacity_;
  PageLists<1> window_;
  SegmentedLru main_;
  std::vector<Count> counts_;
  std::uint64_t sample_;
  std::uint64_t accesses_ = 0;
  std::uint32_t period_ = 0;
};

}  // namespace rigel
