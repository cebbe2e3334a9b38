// Which I/O is next when streams keep their own pace (--timing dependent): each stream's I/Os stay
// in order, and one is due its think time after the last thing that it waited for when it was
// recorded: the issue of the stream's I/O before it, and the completion of every earlier one that
// had completed by then (PlannedIo::overlapped says which had not). Streams do not wait for each
// other.
//
// I/Os come from a queue in the trace's order and are held by stream, kMaxHeld in all; a stream
// that stands still while others go on for longer than that holds them up.
// One thread. Allocates as streams appear; nothing throws but for want of memory.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "replay/io_queue.hpp"

namespace rigel {

class StreamScheduler {
 public:
  static constexpr std::size_t kMaxHeld = std::size_t{1} << 16;

  // `slots`: as many I/Os may be in flight, each known by a number below it.
  StreamScheduler(IoQueue& queue, std::size_t slots);

  // The I/O due first of all that wait for nothing, with due_ns set to that time; nullptr when all
  // wait for completions, or for the queue.
  [[nodiscard]] const PlannedIo* front();
  // front() was issued, or completed, in `slot`.
  void issued(std::uint32_t slot, std::int64_t now_ns);
  void completed(std::uint32_t slot, std::int64_t now_ns);

  // Nothing is held and nothing more will come.
  [[nodiscard]] bool finished() { return held_ == 0 && queue_.finished(); }
  // Nothing is held though more will come.
  [[nodiscard]] bool starved() { return held_ == 0 && queue_.front() == nullptr && !finished(); }
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  struct Stream {
    std::deque<PlannedIo> ios;
    std::uint64_t in_flight = 0;  // bit k: of the k+1 last issued, the first one
    std::uint64_t older_in_flight = 0;
    std::uint32_t issued = 0;
    std::int64_t ready_ns = 0;  // when the last thing that was waited for happened
    bool is_waiting = true;     // no entry in due_
  };
  struct Due {
    std::int64_t due_ns;
    std::uint32_t stream;
    friend bool operator>(const Due& a, const Due& b) {
      return a.due_ns != b.due_ns ? a.due_ns > b.due_ns : a.stream > b.stream;
    }
  };
  struct InFlight {
    std::uint32_t stream;
    std::uint32_t number;
  };
  void refill();
  void look_at_head(std::uint32_t index);

  IoQueue& queue_;
  std::vector<Stream> streams_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<InFlight> in_flight_;  // by slot
  std::size_t held_ = 0;
};

}  // namespace rigel
