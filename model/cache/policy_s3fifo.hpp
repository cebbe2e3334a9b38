// S3-FIFO. Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP
// 2023: a small FIFO of a tenth of the cache for newcomers, a main FIFO with reinsertion, and a
// ghost queue of the ids that left the small one, as long as the main queue. A counter up to 3
// says how often a page was hit; a page leaves the small queue for the main one when it was hit
// twice or more (the paper's algorithm 1: "freq > 1"), and comes straight to it out of the ghosts.
// The counter starts again at 0 in the main queue, as a page that was promoted is new there.
#pragma once

#include <algorithm>
#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"
#include "model/cache/page_ring.hpp"

namespace rigel {

class S3FifoPolicy {
 public:
  static constexpr std::string_view kName = "s3fifo";
  static constexpr std::string_view kDescription =
      "S3-FIFO: small, main and ghost FIFO (SOSP 2023)";

  explicit S3FifoPolicy(std::uint32_t capacity)
      : capacity_{capacity}, small_capacity_{std::max(1U, capacity / 10)} {}
  void grow(std::size_t pages) {
    state_.resize(pages);
    ghosts_.grow(pages);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    State& state = state_[page];
    if (state.place != kAbsent) {
      state.hits = static_cast<std::uint8_t>(std::min(state.hits + 1, 3));
      return true;
    }
    while (size() >= capacity_) evict(evicted);
    if (ghosts_.linked(page)) {
      ghosts_.remove(0, page);
      enter(main_, kMain, page);
    } else {
      enter(small_, kSmall, page);
    }
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return state_[page].place != kAbsent; }
  [[nodiscard]] std::size_t size() const { return small_.size() + main_.size(); }
  void prefetch(PageId page) const { __builtin_prefetch(&state_[page], 1); }
  void prefetch_more(PageId) const {}

 private:
  enum Place : std::uint8_t { kAbsent, kSmall, kMain };
  struct State {
    Place place = kAbsent;
    std::uint8_t hits = 0;
  };

  void enter(PageRing& queue, Place place, PageId page) {
    queue.push(page);
    state_[page] = {place, 0};
  }
  template <typename Evicted>
  void evict(Evicted evicted) {
    if (small_.size() >= small_capacity_ || main_.size() == 0) {
      evict_from_small(evicted);
    } else {
      evicted(evict_from_main());
    }
  }
  template <typename Evicted>
  void evict_from_small(Evicted evicted) {
    while (small_.size() != 0) {
      const PageId page = small_.pop();
      if (state_[page].hits < 2) {
        state_[page].place = kAbsent;
        remember(page);
        evicted(page);
        return;
      }
      enter(main_, kMain, page);
      if (main_.size() > capacity_ - small_capacity_) {
        evicted(evict_from_main());
        return;
      }
    }
  }
  PageId evict_from_main() {
    for (;;) {
      const PageId page = main_.pop();
      if (state_[page].hits == 0) {
        state_[page].place = kAbsent;
        return page;
      }
      --state_[page].hits;
      main_.push(page);
    }
  }
  void remember(PageId page) {
    ghosts_.push_front(0, page);
    if (ghosts_.size(0) > capacity_ - small_capacity_) ghosts_.pop_back(0);
  }

  std::uint32_t capacity_;
  std::uint32_t small_capacity_;
  PageRing small_;
  PageRing main_;
  PageLists<1> ghosts_;
  std::vector<State> state_;
};

}  // namespace rigel
