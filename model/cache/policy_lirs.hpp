// LIRS. Jiang, Zhang, "LIRS: an efficient low inter-reference recency set replacement policy to
// improve buffer cache performance", SIGMETRICS 2002, section 3. Pages of low inter-reference
// recency (LIR) hold 99 % of the cache, the others (HIR) pass through a queue of 1 %, at least one
// page. The stack S orders LIR pages and recent HIR ones, resident or not, by recency; its bottom
// is always LIR. As in the paper S is not limited in length; a page is on it at most once.
#pragma once

#include <algorithm>
#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"

namespace rigel {

class LirsPolicy {
 public:
  static constexpr std::string_view kName = "lirs";
  static constexpr std::string_view kDescription = "low inter-reference recency set (2002)";

  explicit LirsPolicy(std::uint32_t capacity)
      : capacity_{capacity}, lir_capacity_{capacity - std::max(1U, capacity / 100)} {}
  void grow(std::size_t pages) {
    stack_.grow(pages);
    queue_.grow(pages);
    low_.resize(pages);
  }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (low_[page] != 0) {
      stack_.move_to_front(0, 0, page);
      prune();
      return true;
    }
    const bool hit = queue_.linked(page);
    if (hit) {
      queue_.remove(0, page);
    } else if (size() == capacity_) {
      evicted(queue_.pop_back(0));
    }
    const bool recent = stack_.linked(page);
    if (recent) {
      stack_.move_to_front(0, 0, page);
    } else {
      stack_.push_front(0, page);
    }
    if (lir_pages_ < lir_capacity_ && !hit) {
      make_low(page);
    } else if (recent && lir_capacity_ != 0) {
      make_low(page);
      demote_bottom();
    } else {
      queue_.push_front(0, page);
    }
    if (lir_capacity_ == 0) stack_.remove(0, page);
    return hit;
  }
  [[nodiscard]] bool resident(PageId page) const { return low_[page] != 0 || queue_.linked(page); }
  [[nodiscard]] std::size_t size() const { return lir_pages_ + queue_.size(0); }
  void prefetch(PageId page) const {
    __builtin_prefetch(&low_[page], 1);
    stack_.prefetch(page);
    queue_.prefetch(page);
  }
  void prefetch_more(PageId page) const { stack_.prefetch_neighbours(page); }

 private:
  void make_low(PageId page) {
    low_[page] = 1;
    ++lir_pages_;
  }
  // The LIR page at the bottom of the stack becomes a resident HIR page.
  void demote_bottom() {
    const PageId bottom = stack_.pop_back(0);
    low_[bottom] = 0;
    --lir_pages_;
    queue_.push_front(0, bottom);
    prune();
  }
  // HIR pages below the lowest LIR page leave the stack.
  void prune() {
    while (low_[stack_.back(0)] == 0) stack_.pop_back(0);
  }

  std::uint32_t capacity_;
  std::uint32_t lir_capacity_;
  std::size_t lir_pages_ = 0;
  PageLists<1> stack_;  // S
  PageLists<1> queue_;  // Q: resident HIR pages, the next victim at the back
  std::vector<std::uint8_t> low_;
};

}  // namespace rigel
