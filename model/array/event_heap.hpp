// The simulator's calendar: events by time, those of one time in the order in which they were
// added, so that a run repeats exactly. A 4-ary heap of 16-byte entries: a node's children share a
// line of the processor's cache. Not thread safe; throws nothing but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rigel {

class EventHeap {
 public:
  struct Event {
    std::int64_t time_ns;
    std::uint32_t order;    // wraps after 2^32 events; compared by distance
    std::uint32_t payload;  // the caller's
  };

  void add(std::int64_t time_ns, std::uint32_t payload) {
    const Event event{time_ns, next_order_++, payload};
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kFanOut;
      if (!before(event, events_[parent])) break;
      events_[at] = events_[parent];
      at = parent;
    }
    events_[at] = event;
  }

  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& first() const { return events_.front(); }

  void remove_first() {
    const Event last = events_.back();
    events_.pop_back();
    if (events_.empty()) return;
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = at * kFanOut + 1;
      if (begin >= events_.size()) break;
      const std::size_t end = std::min(begin + kFanOut, events_.size());
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child) {
        if (before(events_[child], events_[least])) least = child;
      }
      if (!before(events_[least], last)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = last;
  }

 private:
  static constexpr std::size_t kFanOut = 4;
  static bool before(const Event& a, const Event& b) {
    if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
    return static_cast<std::int32_t>(a.order - b.order) < 0;
  }
  std::vector<Event> events_;
  std::uint32_t next_order_ = 0;
};

}  // namespace rigel
