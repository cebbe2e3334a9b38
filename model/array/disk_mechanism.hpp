// Arm and platter of one disk: how long it takes to reach a block and read it, given where the head
// is and what time it is. After C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling",
// IEEE Computer 27(3), 1994: a seek curve with a square-root part (the arm accelerates) and a
// linear part (it coasts), rotation as an angle that time alone determines, transfer at the media
// rate. One zone, skewed from track to track so that sequential reads lose no turn; tracks of one
// cylinder are a turn of the heads apart, which is taken to cost nothing.
// Immutable; safe from any thread.
#pragma once

#include <cstdint>

#include "model/array/array_config.hpp"
#include "model/array/disk_buffer.hpp"

namespace rigel {

class DiskMechanism {
 public:
  // Throws UsageError when the parameters describe no disk.
  explicit DiskMechanism(const DiskConfig& config);

  // Tracks are counted across the surface; a head rests on one.
  [[nodiscard]] double track_of(std::uint64_t offset_bytes) const {
    return static_cast<double>(offset_bytes / track_bytes_);
  }
  [[nodiscard]] double seek_ns(double from_track, double to_track) const;
  // Overhead, seek and rotation until the first byte is under the head.
  [[nodiscard]] double positioning_ns(std::int64_t now_ns, double head_track,
                                      std::uint64_t offset_bytes, bool write) const;
  [[nodiscard]] double transfer_ns(std::uint64_t bytes) const {
    return static_cast<double>(bytes) * ns_per_byte_;
  }
  [[nodiscard]] double ns_per_byte() const { return ns_per_byte_; }
  [[nodiscard]] DiskBuffer::Shape buffer_shape() const { return buffer_shape_; }
  // A read that the buffer answers, a write that it takes.
  [[nodiscard]] double buffered_ns(std::uint64_t bytes) const {
    return buffer_time_ns_ + static_cast<double>(bytes) * interface_ns_per_byte_;
  }
  [[nodiscard]] double buffered_write_ns(std::uint64_t bytes) const {
    return write_overhead_ns_ + static_cast<double>(bytes) * interface_ns_per_byte_;
  }
  [[nodiscard]] double rotation_ns() const { return rotation_ns_; }
  [[nodiscard]] double tracks() const { return tracks_; }

 private:
  double overhead_ns_;
  double write_overhead_ns_;
  double buffer_time_ns_;
  double rotation_ns_;
  double ns_per_byte_;
  double interface_ns_per_byte_;
  std::uint64_t track_bytes_;
  double tracks_;
  double heads_;
  DiskBuffer::Shape buffer_shape_;
  double skew_;  // turns from one track to the next
  double single_ns_;
  double root_ns_;    // coefficient of the square root of the distance (whole stroke: 1)
  double linear_ns_;  // coefficient of the distance
};

}  // namespace rigel
