// The buffer of a disk: segments that each hold one run of blocks, the least recently used one
// given up for a new run. After a read the arm stays and reads ahead, a segment's length beyond
// what was last asked for or to the end of the track or cylinder, until it is needed elsewhere (C.
// Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994:
// on-board caching). Times do not go back. Not thread safe; throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace rigel {

class DiskBuffer {
 public:
  struct Shape {
    unsigned segments = 0;  // 0: nothing is ever there
    std::uint64_t segment_bytes = 0;
    std::uint64_t stop_bytes = 0;  // reading ahead ends at a multiple of it; 0: at none
    bool around = false;           // from one multiple to the next, also what comes before a read
  };
  DiskBuffer(const Shape& shape, double ns_per_byte);

  // When all of a read that comes now is in the buffer: now, or later when it is just being read
  // ahead. Nothing when the arm has to fetch it.
  [[nodiscard]] std::optional<std::int64_t> find(std::int64_t now_ns, std::uint64_t offset_bytes,
                                                 std::uint64_t length_bytes);
  // The arm has left off reading ahead.
  void arm_leaves(std::int64_t now_ns);
  // The arm has read these at `done_ns` and goes on reading ahead.
  void read(std::int64_t done_ns, std::uint64_t offset_bytes, std::uint64_t length_bytes);
  // The host has written these; what was held of them is no longer valid.
  void write(std::uint64_t offset_bytes, std::uint64_t length_bytes);

 private:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t used = 0;  // when it was, counted
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void advance(std::int64_t now_ns);
  [[nodiscard]] std::uint64_t limit_after(std::uint64_t end) const;
  std::size_t hold(std::uint64_t offset_bytes, std::uint64_t length_bytes);

  std::vector<Segment> segments_;
  Shape shape_;
  double ns_per_byte_;
  std::uint64_t uses_ = 0;
  // The run that is being read ahead: from where since when, and how far.
  std::size_t ahead_ = kNone;
  std::uint64_t from_ = 0;
  std::int64_t since_ns_ = 0;
  std::uint64_t limit_ = 0;
};

}  // namespace rigel
