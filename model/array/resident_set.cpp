#include "model/array/resident_set.hpp"

namespace rigel {
namespace {
constexpr unsigned kFirstTableBits = 10;
}

ResidentSet::ResidentSet(std::uint64_t capacity_pages, bool recency)
    : capacity_{capacity_pages},
      recency_{recency},
      heads_(std::size_t{1} << kFirstTableBits, kNone),
      shift_{64 - kFirstTableBits} {}

ResidentSet::Index ResidentSet::find(std::uint64_t page) const {
  Index at = heads_[bucket_of(page)];
  while (at != kNone && entries_[at].page_and_dirty >> 1 != page) at = entries_[at].next;
  return at;
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

void ResidentSet::leave_bucket(Index at) {
  Index* link = &heads_[bucket_of(entries_[at].page_and_dirty >> 1)];
  while (*link != at) link = &entries_[*link].next;
  *link = entries_[at].next;
}

bool ResidentSet::use(std::uint64_t page, bool dirties) {
  const Index at = find(page);
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
    if (entries_.size() >= heads_.size()) grow_table();
    at = static_cast<Index>(entries_.size());
    entries_.emplace_back();
  } else {
    at = oldest_;
    evicted.any = true;
    evicted.page = entries_[at].page_and_dirty >> 1;
    evicted.dirty = (entries_[at].page_and_dirty & 1) != 0;
    if (evicted.dirty) --dirty_;
    leave_bucket(at);
    unlink(at);
    // The next one to leave will be looked at soon.
    if (oldest_ != kNone) {
      __builtin_prefetch(&heads_[bucket_of(entries_[oldest_].page_and_dirty >> 1)]);
    }
  }
  entries_[at].page_and_dirty = page << 1 | (dirty ? 1U : 0U);
  if (dirty) ++dirty_;
  Index& head = heads_[bucket_of(page)];
  entries_[at].next = head;
  head = at;
  link_newest(at);
  return evicted;
}

bool ResidentSet::is_dirty(std::uint64_t page) const {
  const Index at = find(page);
  return at != kNone && (entries_[at].page_and_dirty & 1) != 0;
}

void ResidentSet::mark_clean(std::uint64_t page) {
  const Index at = find(page);
  if (at == kNone || (entries_[at].page_and_dirty & 1) == 0) return;
  entries_[at].page_and_dirty &= ~std::uint64_t{1};
  --dirty_;
}

void ResidentSet::grow_table() {
  --shift_;
  heads_.assign(heads_.size() * 2, kNone);
  for (Index at = 0; at < entries_.size(); ++at) {
    Index& head = heads_[bucket_of(entries_[at].page_and_dirty >> 1)];
    entries_[at].next = head;
    head = at;
  }
}

}  // namespace rigel
