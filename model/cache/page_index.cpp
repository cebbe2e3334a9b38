#include "model/cache/page_index.hpp"

#include <algorithm>
#include <bit>

#include "traces/error.hpp"

namespace rigel {

namespace {
constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kAhead = 16;  // look-ups in flight
}  // namespace

PageIndex::PageIndex() {
  reserve_slots(0);
}

// Makes room for `pages` keys at a load of at most 3/4.
void PageIndex::reserve_slots(std::size_t pages) {
  std::size_t slots = std::max(kFirstSlots, slots_.size());
  while (pages > slots / 4 * 3) slots *= 2;
  if (slots == slots_.size()) return;
  slots_.resize(slots);
  shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
  fill_slots();
}

void PageIndex::fill_slots() {
  std::fill(slots_.begin(), slots_.end(), kEmpty);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t id = 0; id < keys_.size(); ++id) {
    std::size_t at = home(keys_[id]);
    while (slots_[at] != kEmpty) at = (at + 1) & mask;
    slots_[at] = static_cast<PageId>(id);
  }
}

PageId PageIndex::find_or_add(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(key);
  for (; slots_[at] != kEmpty; at = (at + 1) & mask) {
    if (keys_[slots_[at]] == key) return slots_[at];
  }
  if (keys_.size() >= kEmpty - 1) throw Error{"more than 2^32 - 2 distinct pages: sample them"};
  const auto id = static_cast<PageId>(keys_.size());
  slots_[at] = id;
  keys_.push_back(key);
  return id;
}

void PageIndex::retain(std::span<const std::uint8_t> keep) {
  std::size_t kept = 0;
  for (std::size_t id = 0; id < keys_.size(); ++id) {
    if (keep[id] != 0) keys_[kept++] = keys_[id];
  }
  keys_.resize(kept);
  fill_slots();
}

void PageIndex::number(std::span<const std::uint64_t> keys, std::vector<PageId>& ids) {
  ids.resize(keys.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kFirstSlots / 2) {
    const std::size_t end = std::min(keys.size(), begin + kFirstSlots / 2);
    reserve_slots(keys_.size() + (end - begin));
    const std::size_t last = end - 1;
    for (std::size_t i = begin; i < end; ++i) {
      __builtin_prefetch(&slots_[home(keys[std::min(i + 2 * kAhead, last)])]);
      const PageId next = slots_[home(keys[std::min(i + kAhead, last)])];
      if (next != kEmpty) __builtin_prefetch(&keys_[next]);
      ids[i] = find_or_add(keys[i]);
    }
  }
}

}  // namespace rigel
