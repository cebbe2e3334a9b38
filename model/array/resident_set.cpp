#include "model/array/resident_set.hpp"

namespace rigel {
namespace {
constexpr unsigned kFirstTableBits = 10;
}

ResidentSet::ResidentSet(std::uint64_t capacity_pages, bool recency)
    : capacity_{capacity_pages},
      recency_{recency},
      slots_(std::size_t{1} << kFirstTableBits, Slot{kNone, 0}),
      shift_{32 - kFirstTableBits} {}

std::size_t ResidentSet::find(std::uint64_t page) const {
  const std::uint32_t hash = hash_of(page);
  std::size_t slot = home_of(hash);
  while (slots_[slot].entry != kNone &&
         (slots_[slot].hash != hash || entries_[slots_[slot].entry].page_and_dirty >> 1 != page)) {
    slot = after(slot);
  }
  return slot;
}

void ResidentSet::unlink(Index at) {
  const Entry& entry = entries_[at];
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void ResidentSet::link_newest(Index at) {
  entries_[at].newer = kNone;
  entries_[at].older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = at;
  newest_ = at;
}

// Moves up what was displaced by it, so that no search ends too early (D. E. Knuth, The Art of
// Computer Programming, vol. 3, section 6.4, algorithm R).
void ResidentSet::empty_slot(std::size_t slot) {
  for (std::size_t next = after(slot); slots_[next].entry != kNone; next = after(next)) {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t from_home = (next - home_of(slots_[next].hash)) & mask;
    if (from_home < ((next - slot) & mask)) continue;  // would come before its home
    slots_[slot] = slots_[next];
    slot = next;
  }
  slots_[slot].entry = kNone;
}

bool ResidentSet::use(std::uint64_t page, bool dirties) {
  const Index at = slots_[find(page)].entry;
  if (at == kNone) return false;
  if (dirties && (entries_[at].page_and_dirty & 1) == 0) {
    entries_[at].page_and_dirty |= 1;
    ++dirty_;
  }
  if (recency_ && at != newest_) {
    unlink(at);
    link_newest(at);
  }
  return true;
}

ResidentSet::Evicted ResidentSet::add(std::uint64_t page, bool dirty) {
  Evicted evicted;
  if (capacity_ == 0) return evicted;
  Index at = 0;
  if (entries_.size() < capacity_) {
    if ((entries_.size() + 1) * 4 > slots_.size() * 3) grow_table();
    at = static_cast<Index>(entries_.size());
    entries_.emplace_back();
  } else {
    at = oldest_;
    evicted.any = true;
    evicted.page = entries_[at].page_and_dirty >> 1;
    evicted.dirty = (entries_[at].page_and_dirty & 1) != 0;
    if (evicted.dirty) --dirty_;
    empty_slot(find(evicted.page));
    unlink(at);
    // The next ones to leave will be looked at soon.
    if (oldest_ != kNone) {
      prefetch(entries_[oldest_].page_and_dirty >> 1);
      const Index then = entries_[oldest_].newer;
      if (then != kNone) __builtin_prefetch(&entries_[then]);
    }
  }
  entries_[at].page_and_dirty = page << 1 | (dirty ? 1U : 0U);
  if (dirty) ++dirty_;
  slots_[find(page)] = {at, hash_of(page)};
  link_newest(at);
  return evicted;
}

bool ResidentSet::is_dirty(std::uint64_t page) const {
  const Index at = slots_[find(page)].entry;
  return at != kNone && (entries_[at].page_and_dirty & 1) != 0;
}

void ResidentSet::mark_clean(std::uint64_t page) {
  const Index at = slots_[find(page)].entry;
  if (at == kNone || (entries_[at].page_and_dirty & 1) == 0) return;
  entries_[at].page_and_dirty &= ~std::uint64_t{1};
  --dirty_;
}

void ResidentSet::grow_table() {
  --shift_;
  Table<Slot> before(slots_.size() * 2, Slot{kNone, 0});
  before.swap(slots_);
  for (const Slot& old : before) {
    if (old.entry == kNone) continue;
    std::size_t slot = home_of(old.hash);
    while (slots_[slot].entry != kNone) slot = after(slot);
    slots_[slot] = old;
  }
}

}  // namespace rigel
