// Least recently used. Mattson et al., "Evaluation techniques for storage hierarchies", IBM
// Systems Journal 9(2), 1970. The exact curve (LruCurve) gives the same for all sizes at once.
#pragma once

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_lists.hpp"

namespace rigel {

class LruPolicy {
 public:
  static constexpr std::string_view kName = "lru";
  static constexpr std::string_view kDescription = "least recently used";

  explicit LruPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) { lists_.grow(pages); }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (lists_.linked(page)) {
      lists_.move_to_front(0, 0, page);
      return true;
    }
    if (lists_.size(0) == capacity_) evicted(lists_.pop_back(0));
    lists_.push_front(0, page);
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return lists_.linked(page); }
  [[nodiscard]] std::size_t size() const { return lists_.size(0); }
  void prefetch(PageId page) const { lists_.prefetch(page); }
  void prefetch_more(PageId page) const { lists_.prefetch_neighbours(page); }

 private:
  std::uint32_t capacity_;
  PageLists<1> lists_;
};

}  // namespace rigel
