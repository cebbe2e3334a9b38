// One mechanical disk at work: its arm, its buffer, and the writes that it has taken but not yet
// put on the platter. Serves one I/O at a time, begun at times that do not go back; the queue is
// the caller's. Not thread safe; throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <deque>

#include "model/array/disk_buffer.hpp"
#include "model/array/disk_mechanism.hpp"
#include "model/array/raid_layout.hpp"

namespace rigel {

class DiskArm {
 public:
  // The head rests on `track`.
  DiskArm(const DiskConfig& config, const DiskMechanism& mechanism, double track);

  struct Served {
    std::int64_t end_ns = 0;  // when the host has its answer
    double busy_ns = 0;       // the disk's time that it took, before its answer or after
  };
  Served serve(std::int64_t now_ns, const DiskIo& io, const DiskMechanism& mechanism);
  [[nodiscard]] double track() const { return track_; }

 private:
  Served read(std::int64_t now_ns, const DiskIo& io, const DiskMechanism& mechanism);
  Served write(std::int64_t now_ns, const DiskIo& io, const DiskMechanism& mechanism);
  double move(std::int64_t now_ns, const DiskIo& io, const DiskMechanism& mechanism);

  DiskBuffer buffer_;
  unsigned write_segments_;  // 0: a write is done when it is on the platter
  double track_;
  std::int64_t free_ns_ = 0;  // when the arm is
  std::deque<std::int64_t>
      unwritten_;  // when each of the writes in the buffer will be on the platter
};

}  // namespace rigel
