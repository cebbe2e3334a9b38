// The pages an array's cache holds at one moment, in the order in which they would be evicted, with
// those marked that still have to be written to disk. Finding, adding and evicting are O(1);
// memory is 16 bytes a resident page and 11 to 21 for the table, and grows only as pages come in.
// The table is open-addressed and holds 32 bits of each page's hash, so that a page that is not
// there is told by one line of memory.
//
// This is the live cache of the simulator: it must say which dirty page leaves, which the policies
// of model/cache, built to count hits over a whole trace, have no need to.
// Not thread safe. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/array/huge_page_allocator.hpp"

namespace rigel {

class ResidentSet {
 public:
  struct Evicted {
    std::uint64_t page = 0;
    bool any = false;
    bool dirty = false;
  };

  // Holds `capacity_pages` (at most 2^31). With `recency` a hit makes a page the last to be
  // evicted (LRU), without it pages leave in the order in which they came (FIFO).
  ResidentSet(std::uint64_t capacity_pages, bool recency);

  // Whether the page is there; counts as a use of it. `dirties` marks it as to be written.
  bool use(std::uint64_t page, bool dirties);
  // Adds a page that is not there; what had to leave for it. Capacity 0 holds nothing.
  Evicted add(std::uint64_t page, bool dirty);
  [[nodiscard]] bool is_dirty(std::uint64_t page) const;
  // It was written to disk. Nothing happens when it has left meanwhile.
  void mark_clean(std::uint64_t page);
  // Starts to bring what use() of this page will look at into the processor's cache.
  void prefetch(std::uint64_t page) const { __builtin_prefetch(&slots_[home_of(hash_of(page))]); }

  [[nodiscard]] std::uint64_t size() const { return entries_.size(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t dirty_pages() const { return dirty_; }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;

  template <typename T>
  using Table = std::vector<T, HugePageAllocator<T>>;

  struct Entry {
    std::uint64_t page_and_dirty;  // page << 1 | dirty
    Index newer;
    Index older;
  };
  struct Slot {
    Index entry;  // kNone: empty
    std::uint32_t hash;
  };

  [[nodiscard]] static std::uint32_t hash_of(std::uint64_t page) {
    return static_cast<std::uint32_t>((page * 0x9e3779b97f4a7c15U) >> 32);
  }
  [[nodiscard]] std::size_t home_of(std::uint32_t hash) const { return hash >> shift_; }
  [[nodiscard]] std::size_t after(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  // The slot of the page, or the empty one at which the search for it ends.
  [[nodiscard]] std::size_t find(std::uint64_t page) const;
  void unlink(Index at);
  void link_newest(Index at);
  void empty_slot(std::size_t slot);
  void grow_table();

  std::uint64_t capacity_;
  bool recency_;
  Table<Entry> entries_;
  Table<Slot> slots_;  // a power of two, at most three quarters full
  unsigned shift_;     // 32 - log2(slots)
  Index newest_ = kNone;
  Index oldest_ = kNone;
  std::uint64_t dirty_ = 0;
};

}  // namespace rigel
