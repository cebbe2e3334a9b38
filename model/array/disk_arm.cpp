#include "model/array/disk_arm.hpp"

#include <algorithm>
#include <cmath>

namespace rigel {

DiskArm::DiskArm(const DiskConfig& config, const DiskMechanism& mechanism, double track)
    : buffer_{mechanism.buffer_shape(), mechanism.ns_per_byte()},
      write_segments_{config.write_buffer ? config.buffer_segments : 0},
      track_{track} {}

DiskArm::Served DiskArm::serve(std::int64_t now_ns, const DiskIo& io,
                               const DiskMechanism& mechanism) {
  return io.write ? write(now_ns, io, mechanism) : read(now_ns, io, mechanism);
}

// Positioning and transfer of an I/O that the arm turns to now, in ns.
double DiskArm::move(std::int64_t now_ns, const DiskIo& io, const DiskMechanism& mechanism) {
  const double time = mechanism.positioning_ns(now_ns, track_, io.offset_bytes, io.write) +
                      mechanism.transfer_ns(io.length_bytes);
  track_ = mechanism.track_of(io.offset_bytes + io.length_bytes - 1);
  free_ns_ = now_ns + std::llround(time);
  return time;
}

DiskArm::Served DiskArm::read(std::int64_t now_ns, const DiskIo& io,
                              const DiskMechanism& mechanism) {
  if (const auto there_ns = buffer_.find(now_ns, io.offset_bytes, io.length_bytes)) {
    const std::int64_t handed_ns = now_ns + std::llround(mechanism.buffered_ns(io.length_bytes));
    const std::int64_t end_ns = std::max(handed_ns, *there_ns);
    return {end_ns, static_cast<double>(end_ns - now_ns)};
  }
  buffer_.arm_leaves(now_ns);
  const double time = move(std::max(now_ns, free_ns_), io, mechanism);
  buffer_.read(free_ns_, io.offset_bytes, io.length_bytes);
  return {free_ns_, time};
}

DiskArm::Served DiskArm::write(std::int64_t now_ns, const DiskIo& io,
                               const DiskMechanism& mechanism) {
  buffer_.arm_leaves(now_ns);
  buffer_.write(io.offset_bytes, io.length_bytes);
  if (write_segments_ == 0) {
    const double time = move(std::max(now_ns, free_ns_), io, mechanism);
    return {free_ns_, time};
  }
  while (!unwritten_.empty() && unwritten_.front() <= now_ns) unwritten_.pop_front();
  std::int64_t room_ns = now_ns;
  if (unwritten_.size() >= write_segments_) {
    room_ns = unwritten_[unwritten_.size() - write_segments_];
  }
  const std::int64_t end_ns = room_ns + std::llround(mechanism.buffered_write_ns(io.length_bytes));
  const double time = move(std::max(end_ns, free_ns_), io, mechanism);
  unwritten_.push_back(free_ns_);
  return {end_ns, time};
}

}  // namespace rigel
