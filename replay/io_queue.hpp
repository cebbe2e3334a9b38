// Planned I/Os between the read-ahead thread and the thread that issues them: a ring of fixed size,
// one producer, one consumer, no locks. Nothing throws but the constructor (memory).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "replay/planned_io.hpp"

namespace rigel {

class IoQueue {
 public:
  // Holds at least `capacity` I/Os.
  explicit IoQueue(std::size_t capacity)
      : ring_(std::bit_ceil(std::max<std::size_t>(capacity, 2))), mask_(ring_.size() - 1) {}

  // Producer: takes as many from the front of `ios` as there is room for; returns how many.
  std::size_t push(std::span<const PlannedIo> ios) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    const std::size_t room = ring_.size() - (head - tail_.load(std::memory_order_acquire));
    const std::size_t count = std::min(room, ios.size());
    for (std::size_t i = 0; i < count; ++i) ring_[(head + i) & mask_] = ios[i];
    head_.store(head + count, std::memory_order_release);
    return count;
  }
  // Producer: nothing more will come.
  void close() { closed_.store(true, std::memory_order_release); }

  // Consumer: the next I/O, or nullptr when there is none at the moment.
  [[nodiscard]] const PlannedIo* front() {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == seen_head_) {
      seen_head_ = head_.load(std::memory_order_acquire);
      if (tail == seen_head_) return nullptr;
    }
    return &ring_[tail & mask_];
  }
  // Consumer: done with front(), which must have been there.
  void pop() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // Consumer: true when everything that was pushed has been popped and nothing more will come.
  [[nodiscard]] bool finished() {
    // closed_ first: what was pushed before close() is then visible to front().
    return closed_.load(std::memory_order_acquire) && front() == nullptr;
  }

  [[nodiscard]] std::size_t capacity() const { return ring_.size(); }
  // From either side; exact only when the other one rests.
  [[nodiscard]] std::size_t size() const {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }

 private:
  std::vector<PlannedIo> ring_;
  std::size_t mask_;
  alignas(64) std::atomic<std::size_t> head_{0};
  std::atomic<bool> closed_{false};
  alignas(64) std::atomic<std::size_t> tail_{0};
  std::size_t seen_head_ = 0;  // the consumer's copy: most looks need no other core's cache line
};

}  // namespace rigel
