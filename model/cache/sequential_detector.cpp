#include "model/cache/sequential_detector.hpp"

#include <algorithm>

#include "model/cache/page_stream.hpp"

namespace rigel {

// The stream that a request starting at `first` goes on with, or a new one.
SequentialDetector::Stream& SequentialDetector::stream_of(std::uint64_t first) {
  const auto found = std::find_if(streams_.begin(), streams_.end(), [first](const Stream& stream) {
    return first == stream.next || first + 1 == stream.next;
  });
  if (found != streams_.end()) {
    streams_.splice(streams_.begin(), streams_, found);
  } else {
    if (streams_.size() == kMostStreams) streams_.pop_back();
    streams_.push_front({first, first, 0});
  }
  return streams_.front();
}

SequentialDetector::Pages SequentialDetector::note_read(std::uint64_t first, std::uint64_t last) {
  Stream& stream = stream_of(first);
  if (last < stream.next) return {};
  stream.next = last + 1;
  if (++stream.requests < kSequentialFrom) return {};
  const std::uint64_t device_end = (last | ((std::uint64_t{1} << kPageNumberBits) - 1)) + 1;
  const Pages ahead{std::max(stream.fetched, stream.next),
                    std::min(stream.next + ahead_pages_, device_end)};
  stream.fetched = std::max(stream.fetched, ahead.end);
  return ahead;
}

}  // namespace rigel
