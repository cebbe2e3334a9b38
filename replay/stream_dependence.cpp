#include "replay/stream_dependence.hpp"

#include <algorithm>
#include <limits>

#include "traces/io_record.hpp"

namespace rigel {

namespace {
constexpr std::int64_t kNeverDone = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kTold = 64;  // that StreamDependence::Answer::overlapped names
}  // namespace

StreamDependence::Answer StreamDependence::add(std::uint32_t index, std::int64_t start_ns,
                                               std::int64_t complete_ns) {
  if (index >= streams_.size()) streams_.resize(index + std::size_t{1});
  Stream& stream = streams_[index];
  Answer answer;
  std::erase_if(stream.open, [&](const Open& io) {
    if (io.complete_ns <= start_ns) {
      stream.ready_ns = std::max(stream.ready_ns, io.complete_ns);
      return true;
    }
    const std::uint32_t back = stream.count - 1 - io.number;
    if (back < kTold) {
      answer.overlapped |= std::uint64_t{1} << back;
      return false;
    }
    answer.overlapped_before = true;
    stream.never_done |= io.complete_ns == kNeverDone;
    return io.complete_ns == kNeverDone;
  });
  answer.overlapped_before |= stream.never_done;
  answer.think_ns = std::max<std::int64_t>(start_ns - stream.ready_ns, 0);
  stream.ready_ns = std::max(stream.ready_ns, start_ns);
  const std::int64_t done_ns =
      complete_ns == kNoTime ? kNeverDone : std::max(complete_ns, start_ns);
  stream.open.push_back({stream.count++, done_ns});
  return answer;
}

}  // namespace rigel
