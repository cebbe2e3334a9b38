// A first-in first-out queue of pages in a fixed ring: 4 bytes for each page it can hold.
// One thread; no errors. The caller keeps it from overflowing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cache/page_id.hpp"

namespace rigel {

class PageRing {
 public:
  explicit PageRing(std::size_t capacity) : pages_(capacity) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  void push(PageId page) {
    pages_[tail_] = page;
    tail_ = after(tail_);
    ++size_;
  }
  PageId pop() {
    const PageId page = pages_[head_];
    head_ = after(head_);
    --size_;
    return page;
  }

 private:
  [[nodiscard]] std::size_t after(std::size_t at) const {
    return at + 1 == pages_.size() ? 0 : at + 1;
  }

  std::vector<PageId> pages_;
  std::size_t head_ = 0;  // the oldest
  std::size_t tail_ = 0;
  std::size_t size_ = 0;
};

}  // namespace rigel
