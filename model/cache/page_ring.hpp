// A first-in first-out queue of pages in a ring that grows as it must: 4 to 8 bytes for each page
// it ever held at once, however many it might hold. One thread; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cache/page_id.hpp"

namespace rigel {

class PageRing {
 public:
  PageRing() : pages_(kFirstPages) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  void push(PageId page) {
    if (size_ == pages_.size()) grow();
    pages_[(head_ + size_++) & (pages_.size() - 1)] = page;
  }
  PageId pop() {
    const PageId page = pages_[head_];
    head_ = (head_ + 1) & (pages_.size() - 1);
    --size_;
    return page;
  }

 private:
  static constexpr std::size_t kFirstPages = 1024;  // a power of two, as all sizes are

  void grow() {
    std::vector<PageId> larger(2 * pages_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = pages_[(head_ + i) & (pages_.size() - 1)];
    pages_.swap(larger);
    head_ = 0;
  }

  std::vector<PageId> pages_;
  std::size_t head_ = 0;  // the oldest
  std::size_t size_ = 0;
};

}  // namespace rigel
