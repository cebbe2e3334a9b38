// Gives every page that appears a dense number, 0, 1, 2, … in order of first appearance, so that
// everything else about a page lives in plain arrays.
//
// An open-addressing table of 4-byte slots over an array of keys: 8 bytes a page for the key and
// 5 to 11 for the slots. A block of keys is looked up at once, each step fetching ahead, because a
// single look-up spends its time waiting for memory.
// One thread; throws Error when there are more than 2^32 - 2 pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cache/page_stream.hpp"

namespace rigel {

class PageIndex {
 public:
  PageIndex();

  // ids[i] becomes the number of keys[i]; keys not seen before get the next numbers.
  void number(std::span<const std::uint64_t> keys, std::vector<PageId>& ids);
  // The same for one.
  [[nodiscard]] PageId number(std::uint64_t key) {
    reserve_slots(keys_.size() + 1);
    return find_or_add(key);
  }
  // Fills in the block's ids.
  void number(PageBlock& block) {
    number(block.pages, block.ids);
    block.page_count = size();
  }
  // Forgets pages; those kept (keep[id] != 0) are numbered anew in the same order.
  void retain(std::span<const std::uint8_t> keep);

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] std::uint64_t key(PageId id) const { return keys_[id]; }
  [[nodiscard]] std::size_t memory_bytes() const {
    return keys_.capacity() * sizeof(std::uint64_t) + slots_.capacity() * sizeof(PageId);
  }

 private:
  static constexpr PageId kEmpty = 0xffffffff;

  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>(((key ^ (key >> 32)) * 0x9e3779b97f4a7c15U) >> shift_);
  }
  [[nodiscard]] PageId find_or_add(std::uint64_t key);
  void reserve_slots(std::size_t pages);
  void fill_slots();

  std::vector<std::uint64_t> keys_;
  std::vector<PageId> slots_;  // a power of two of them; kEmpty or an index into keys_
  unsigned shift_ = 0;         // 64 - log2(slots)
};

}  // namespace rigel
