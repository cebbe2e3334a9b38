// SIEVE. Zhang, Yang, Yue, Vigfusson, Rashmi, "SIEVE is simpler than LRU", NSDI 2024.
// A FIFO queue whose hand walks from the oldest page to the newest, clears visited bits and evicts
// the first page without one, wherever that is; it stays there, and survivors keep their places.
//
// Links lead to the next newer page only: pages leave at the hand, which remembers whom it passed
// last. So a hit touches one byte.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"

namespace rigel {

class SievePolicy {
 public:
  static constexpr std::string_view kName = "sieve";
  static constexpr std::string_view kDescription = "SIEVE (NSDI 2024)";

  explicit SievePolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) {
    newer_.resize(pages);
    state_.resize(pages, kAbsent);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (state_[page] != kAbsent) {
      state_[page] = kVisited;
      return true;
    }
    if (size_ == capacity_) evicted(evict());
    insert(page);
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return state_[page] != kAbsent; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void prefetch(PageId page) const { __builtin_prefetch(&state_[page], 1); }
  void prefetch_more(PageId) const {}

 private:
  enum State : std::uint8_t { kAbsent, kResident, kVisited };
  static constexpr PageId kNone = 0xffffffff;

  void insert(PageId page) {
    newer_[page] = kNone;
    state_[page] = kResident;
    if (newest_ != kNone) newer_[newest_] = page;
    newest_ = page;
    if (oldest_ == kNone) oldest_ = page;
    ++size_;
  }
  PageId evict() {
    if (hand_ == kNone) restart();
    while (state_[hand_] == kVisited) {
      state_[hand_] = kResident;
      behind_ = hand_;
      hand_ = newer_[hand_];
      if (hand_ == kNone) restart();
    }
    const PageId victim = hand_;
    hand_ = newer_[victim];
    (behind_ == kNone ? oldest_ : newer_[behind_]) = hand_;
    if (newest_ == victim) newest_ = behind_;
    state_[victim] = kAbsent;
    --size_;
    return victim;
  }
  void restart() {
    hand_ = oldest_;
    behind_ = kNone;
  }

  std::uint32_t capacity_;
  std::size_t size_ = 0;
  PageId oldest_ = kNone;
  PageId newest_ = kNone;
  PageId hand_ = kNone;    // where the search for a victim goes on; none: at the oldest
  PageId behind_ = kNone;  // the next older page than the hand's, if any
  std::vector<PageId> newer_;
  std::vector<State> state_;
};

}  // namespace rigel
