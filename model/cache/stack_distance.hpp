// The LRU stack distance of every access: how many other pages were touched since this one was
// touched last. An LRU cache of C pages hits exactly when the distance is below C (Mattson, Gecsei,
// Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970).
//
// Every access takes the next place on a time line and its page leaves a hole at its former place,
// so the distance is the number of places since then that are no holes. Holes are bits, with a
// Fenwick tree over the words of 64 of them: O(log(pages)) an access. When the line is full it is
// closed up, which keeps it at most four times as long as there are pages.
// Memory: 4 bytes a page for its place, at most 1 for the holes. One thread; no errors of its own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/cache/page_id.hpp"

namespace rigel {

class StackDistance {
 public:
  static constexpr std::uint64_t kCold = ~std::uint64_t{0};  // the page's first access

  StackDistance();

  // A new page's id must be pages(), as PageIndex numbers them.
  [[nodiscard]] std::uint64_t access(PageId id) {
    if (next_place_ == places_) make_room();
    if (id == place_.size()) {
      place_.push_back(next_place_++);
      return kCold;
    }
    const std::uint32_t place = place_[id];
    place_[id] = next_place_;
    const std::uint64_t later = next_place_++ - place - 1;
    const std::uint64_t distance = later - (holes_ - holes_through(place));
    dig(place);
    return distance;
  }
  void prefetch(PageId id) const {
    if (id < place_.size()) __builtin_prefetch(&place_[id], 1);
  }

  // The same for what its place needs, once the place is there.
  void prefetch_place(PageId id) const {
    if (id < place_.size()) __builtin_prefetch(&hole_bits_[place_[id] / kWordBits], 1);
  }

  // Forgets pages, as if they had never been; those kept (keep[id] != 0) are numbered anew in the
  // same order, as PageIndex::retain does.
  void retain(std::span<const std::uint8_t> keep);
  // Which pages are the `count` touched last.
  [[nodiscard]] std::vector<std::uint8_t> newest(std::size_t count) const;

  [[nodiscard]] std::size_t pages() const { return place_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return (place_.capacity() + tree_.capacity()) * sizeof(std::uint32_t) +
           hole_bits_.capacity() * sizeof(std::uint64_t);
  }

 private:
  static constexpr std::uint32_t kWordBits = 64;

  // Holes from the start of its word up to and including this place.
  [[nodiscard]] std::uint32_t holes_in_word(std::uint32_t place) const {
    const std::uint64_t word = hole_bits_[place / kWordBits];
    return static_cast<std::uint32_t>(std::popcount(word << (kWordBits - 1 - place % kWordBits)));
  }
  // Holes at places up to and including this one.
  [[nodiscard]] std::uint32_t holes_through(std::uint32_t place) const {
    std::uint32_t holes = holes_in_word(place);
    for (std::uint32_t i = place / kWordBits; i != 0; i &= i - 1) holes += tree_[i];
    return holes;
  }
  void dig(std::uint32_t place) {
    hole_bits_[place / kWordBits] |= std::uint64_t{1} << (place % kWordBits);
    ++holes_;
    for (std::uint32_t i = place / kWordBits + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
  }
  void make_room();

  std::vector<std::uint32_t> place_;      // of each page's last access
  std::vector<std::uint64_t> hole_bits_;  // 1: left by its page
  std::vector<std::uint32_t> tree_;       // Fenwick sums of holes; [i] ends with word i - 1
  std::uint32_t places_ = 0;
  std::uint32_t next_place_ = 0;
  std::uint32_t holes_ = 0;
};

}  // namespace rigel
