#include "model/array/disk_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "traces/error.hpp"

namespace rigel {

DiskMechanism::DiskMechanism(const DiskConfig& config)
    : overhead_ns_{static_cast<double>(config.overhead_ns)},
      write_overhead_ns_{
          static_cast<double>(config.write_overhead_ns.value_or(config.overhead_ns))},
      buffer_time_ns_{static_cast<double>(config.buffer_time_ns)},
      rotation_ns_{60e9 / config.rpm},
      ns_per_byte_{1e9 / config.bytes_per_second},
      interface_ns_per_byte_{
          config.interface_bytes_per_second > 0 ? 1e9 / config.interface_bytes_per_second : 0},
      heads_{static_cast<double>(config.heads)},
      single_ns_{static_cast<double>(config.seek_single_ns)} {
  if (!(config.rpm > 0 && config.bytes_per_second > 0 && config.bytes > 0)) {
    throw UsageError{"a mechanical disk needs rpm, transfer and size"};
  }
  const double track_bytes = std::clamp(rotation_ns_ / ns_per_byte_, 512.0, 0x1p40);
  track_bytes_ = static_cast<std::uint64_t>(track_bytes);
  tracks_ = std::max(1.0, std::ceil(static_cast<double>(config.bytes) / track_bytes));
  std::uint64_t stop = 0;
  if (config.read_ahead != ReadAhead::kSegment) {
    stop = config.read_ahead == ReadAhead::kTrack ? track_bytes_ : track_bytes_ * config.heads;
  }
  buffer_shape_ = {config.buffer_segments, config.buffer_segment_bytes, stop,
                   config.read_ahead == ReadAhead::kAround};
  skew_ = single_ns_ / rotation_ns_;
  // Random pairs of places are |x - y| apart: the mean of its square root is 8/15, its own 1/3.
  // root x 8/15 + linear x 1/3 = average - single and root + linear = full - single.
  const double average = static_cast<double>(config.seek_average_ns) - single_ns_;
  const double full = static_cast<double>(config.seek_full_ns) - single_ns_;
  root_ns_ = (average - full / 3) / (8.0 / 15 - 1.0 / 3);
  linear_ns_ = full - root_ns_;
}

double DiskMechanism::seek_ns(double from_track, double to_track) const {
  if (std::floor(from_track / heads_) == std::floor(to_track / heads_)) return 0;
  const double distance = std::abs(from_track - to_track) / tracks_;
  return std::max(0.0, single_ns_ + root_ns_ * std::sqrt(distance) + linear_ns_ * distance);
}

double DiskMechanism::positioning_ns(std::int64_t now_ns, double head_track,
                                     std::uint64_t offset_bytes, bool write) const {
  const double track = track_of(offset_bytes);
  const double overhead = write ? write_overhead_ns_ : overhead_ns_;
  const double arrived = overhead + seek_ns(head_track, track);
  const double turns = (static_cast<double>(now_ns) + arrived) / rotation_ns_;
  const double block =
      static_cast<double>(offset_bytes % track_bytes_) / static_cast<double>(track_bytes_) +
      track * skew_;
  const double ahead = block - turns;
  return arrived + (ahead - std::floor(ahead)) * rotation_ns_;
}

}  // namespace rigel
