// CLOCK, one reference bit: a FIFO in which a page that was hit since the hand last passed gets a
// second chance. Corbato, "A paging experiment with the Multics system", 1968. A page comes in with
// its bit clear: the reference that brought it does not count.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_ring.hpp"

namespace rigel {

class ClockPolicy {
 public:
  static constexpr std::string_view kName = "clock";
  static constexpr std::string_view kDescription = "FIFO with a second chance (one bit)";

  explicit ClockPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) { state_.resize(pages, kAbsent); }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (state_[page] != kAbsent) {
      state_[page] = kReferenced;
      return true;
    }
    if (queue_.size() == capacity_) evicted(evict());
    queue_.push(page);
    state_[page] = kResident;
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return state_[page] != kAbsent; }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  void prefetch(PageId page) const { __builtin_prefetch(&state_[page], 1); }
  void prefetch_more(PageId) const {}

 private:
  enum State : std::uint8_t { kAbsent, kResident, kReferenced };

  PageId evict() {
    PageId page = queue_.pop();
    while (state_[page] == kReferenced) {
      state_[page] = kResident;
      queue_.push(page);
      page = queue_.pop();
    }
    state_[page] = kAbsent;
    return page;
  }

  std::uint32_t capacity_;
  PageRing queue_;  // the clock's face: the hand is at its oldest end
  std::vector<State> state_;
};

}  // namespace rigel
