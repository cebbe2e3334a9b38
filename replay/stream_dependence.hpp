// What each I/O of a stream waited for when it was recorded, from who overlapped whom: an I/O that
// had completed when the next one began may have been the reason for it, one still in flight cannot
// have been. Streams are looked at by themselves.
// Feed it I/Os in order of their start. One thread; nothing throws but for want of memory.
#pragma once

#include <cstdint>
#include <vector>

namespace rigel {

class StreamDependence {
 public:
  struct Answer {
    // From the last thing before it, the start of the stream's I/O before it or a completion, to
    // its own start; from 0 for a stream's first I/O.
    std::int64_t think_ns = 0;
    std::uint64_t overlapped = 0;    // bit k: the (k+1)th before it had not completed
    bool overlapped_before = false;  // nor had one further back than those
  };
  // `complete_ns` is kNoTime when it is not known: then nothing waited for it.
  [[nodiscard]] Answer add(std::uint32_t stream, std::int64_t start_ns, std::int64_t complete_ns);

 private:
  struct Open {
    std::uint32_t number;
    std::int64_t complete_ns;
  };
  struct Stream {
    std::vector<Open> open;
    std::int64_t ready_ns = 0;
    std::uint32_t count = 0;
    bool never_done = false;  // one that is no longer in `open`
  };
  std::vector<Stream> streams_;
};

}  // namespace rigel
