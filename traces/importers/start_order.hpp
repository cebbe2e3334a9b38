// Puts records that come in order of completion, or nearly so, into order of start: a window of
// kWindow records, so a record comes out late only when that many later ones completed before it.
// Memory is bounded by the window. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "traces/io_record.hpp"

namespace rigel {

class StartOrder {
 public:
  static constexpr std::size_t kWindow = 16384;

  void push(const IoRecord& record) { held_.push({record, sequence_++}); }
  // Whether a record may come out already, or (at the end) whether one is left.
  [[nodiscard]] bool ready(bool at_end) const {
    return held_.size() > kWindow || (at_end && !held_.empty());
  }
  IoRecord pop() {
    IoRecord record = held_.top().record;
    held_.pop();
    return record;
  }

 private:
  struct Entry {
    IoRecord record;
    std::uint64_t sequence;  // equal starts keep their order
    bool operator<(const Entry& other) const {
      const std::int64_t a = record.start_ns();
      const std::int64_t b = other.record.start_ns();
      return a != b ? a > b : sequence > other.sequence;
    }
  };
  std::priority_queue<Entry> held_;
  std::uint64_t sequence_ = 0;
};

}  // namespace rigel
