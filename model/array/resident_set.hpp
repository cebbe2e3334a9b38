// The pages an array's cache holds at one moment, in the order in which they would be evicted, with
// those marked that still have to be written to disk. Finding, adding and evicting are O(1);
// memory is 24 bytes a resident page and 4 to 8 for the table, and grows only as pages come in.
//
// This is the live cache of the simulator: it must say which dirty page leaves, which the policies
// of model/cache, built to count hits over a whole trace, have no need to.
// Not thread safe. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rigel {

class ResidentSet {
 public:
  struct Evicted {
    std::uint64_t page = 0;
    bool any = false;
    bool dirty = false;
  };

  // Holds `capacity_pages` (fewer than 2^32 - 1). With `recency` a hit makes a page the last to be
  // evicted (LRU), without it pages leave in the order in which they came (FIFO).
  ResidentSet(std::uint64_t capacity_pages, bool recency);

  // Whether the page is there; counts as a use of it. `dirties` marks it as to be written.
  bool use(std::uint64_t page, bool dirties);
  // Adds a page that is not there; what had to leave for it. Capacity 0 holds nothing.
  Evicted add(std::uint64_t page, bool dirty);
  [[nodiscard]] bool is_dirty(std::uint64_t page) const;
  // It was written to disk. Nothing happens when it has left meanwhile.
  void mark_clean(std::uint64_t page);
  // Starts to bring what use() and add() of this page will look at into the processor's cache.
  void prefetch(std::uint64_t page) const { __builtin_prefetch(&heads_[bucket_of(page)]); }

  [[nodiscard]] std::uint64_t size() const { return entries_.size(); }
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t dirty_pages() const { return dirty_; }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;

  struct Entry {
    std::uint64_t page_and_dirty;  // page << 1 | dirty
    Index newer;
    Index older;
    Index next;  // in its bucket
  };

  [[nodiscard]] std::size_t bucket_of(std::uint64_t page) const {
    return static_cast<std::size_t>((page * 0x9e3779b97f4a7c15U) >> shift_);
  }
  [[nodiscard]] Index find(std::uint64_t page) const;
  void unlink(Index at);
  void link_newest(Index at);
  void leave_bucket(Index at);
  void grow_table();

  std::uint64_t capacity_;
  bool recency_;
  std::vector<Entry> entries_;
  std::vector<Index> heads_;  // a power of two of buckets
  unsigned shift_;            // 64 - log2(buckets)
  Index newest_ = kNone;
  Index oldest_ = kNone;
  std::uint64_t dirty_ = 0;
};

}  // namespace rigel
