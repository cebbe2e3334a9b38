#include "replay/stream_scheduler.hpp"

#include <algorithm>

namespace rigel {

StreamScheduler::StreamScheduler(IoQueue& queue, std::size_t slots)
    : queue_(queue), in_flight_(slots) {}

void StreamScheduler::refill() {
  while (held_ < kMaxHeld) {
    const PlannedIo* io = queue_.front();
    if (io == nullptr) return;
    if (io->stream >= streams_.size()) streams_.resize(io->stream + std::size_t{1});
    const std::uint32_t index = io->stream;
    Stream& stream = streams_[index];
    stream.ios.push_back(*io);
    ++held_;
    queue_.pop();
    if (stream.ios.size() == 1) look_at_head(index);
  }
}

// Makes the stream's first I/O due, unless it has to wait.
void StreamScheduler::look_at_head(std::uint32_t index) {
  Stream& stream = streams_[index];
  if (!stream.is_waiting || stream.ios.empty()) return;
  PlannedIo& io = stream.ios.front();
  if ((stream.in_flight & ~io.overlapped) != 0) return;
  if (stream.older_in_flight > 0 && !io.overlapped_before) return;
  io.due_ns += stream.ready_ns;
  stream.is_waiting = false;
  due_.push({io.due_ns, index});
}

const PlannedIo* StreamScheduler::front() {
  refill();
  return due_.empty() ? nullptr : &streams_[due_.top().stream].ios.front();
}

void StreamScheduler::issued(std::uint32_t slot, std::int64_t now_ns) {
  const std::uint32_t index = due_.top().stream;
  due_.pop();
  Stream& stream = streams_[index];
  stream.ios.pop_front();
  --held_;
  in_flight_[slot] = {index, stream.issued++};
  stream.older_in_flight += stream.in_flight >> 63U;
  stream.in_flight = stream.in_flight << 1U | 1U;
  stream.ready_ns = now_ns;
  stream.is_waiting = true;
  look_at_head(index);
}

void StreamScheduler::completed(std::uint32_t slot, std::int64_t now_ns) {
  const InFlight& io = in_flight_[slot];
  Stream& stream = streams_[io.stream];
  const std::uint32_t back = stream.issued - 1 - io.number;
  if (back < 64) {
    stream.in_flight &= ~(std::uint64_t{1} << back);
  } else {
    --stream.older_in_flight;
  }
  if (!stream.is_waiting) return;
  stream.ready_ns = std::max(stream.ready_ns, now_ns);
  look_at_head(io.stream);
}

}  // namespace rigel
