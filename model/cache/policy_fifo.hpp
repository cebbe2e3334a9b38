// First in, first out: a hit changes nothing.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/page_ring.hpp"

namespace rigel {

class FifoPolicy {
 public:
  static constexpr std::string_view kName = "fifo";
  static constexpr std::string_view kDescription = "first in, first out";

  explicit FifoPolicy(std::uint32_t capacity) : capacity_{capacity} {}
  void grow(std::size_t pages) { resident_.resize(pages); }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (resident_[page] != 0) return true;
    if (queue_.size() == capacity_) {
      const PageId victim = queue_.pop();
      resident_[victim] = 0;
      evicted(victim);
    }
    queue_.push(page);
    resident_[page] = 1;
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return resident_[page] != 0; }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  void prefetch(PageId page) const { __builtin_prefetch(&resident_[page], 1); }
  void prefetch_more(PageId) const {}

 private:
  std::uint32_t capacity_;
  PageRing queue_;
  std::vector<std::uint8_t> resident_;
};

}  // namespace rigel
