// Which segments of a write-back cache hold data that the disks do not have yet, oldest first: in
// the order in which their first page became dirty. 16 bytes a segment. One thread; no errors.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/page_lists.hpp"

namespace rigel {

class DirtySegments {
 public:
  void grow(std::size_t segments) {
    order_.grow(segments);
    since_ns_.resize(segments);
  }
  [[nodiscard]] bool empty() const { return order_.size(0) == 0; }
  // Of a set that is not empty.
  [[nodiscard]] PageId oldest() const { return order_.back(0); }
  [[nodiscard]] std::int64_t oldest_since_ns() const { return since_ns_[oldest()]; }
  // A clean segment's first dirty page; times must not go back.
  void add(PageId segment, std::int64_t now_ns) {
    order_.push_front(0, segment);
    since_ns_[segment] = now_ns;
  }
  void remove(PageId segment) { order_.remove(0, segment); }

 private:
  PageLists<1> order_;
  std::vector<std::int64_t> since_ns_;
};

}  // namespace rigel
