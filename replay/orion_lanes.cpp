#include "replay/orion_lanes.hpp"

#include <algorithm>

namespace rigel {
namespace {

// From twice as many on, two threads do more than one and need no more CPU an I/O: 1.3 times as
// much on a loop device, 2.6 times on zram, where a kernel worker does the I/O of one ring.
constexpr std::uint32_t kLanesPerThread = 16;

// OffsetStream::lane: which of a thread's sequences of random numbers.
enum Sequence : std::uint32_t { kSmallOffsets, kLargeOffsets, kStreamStarts, kWrites };

// As evenly as it goes.
std::uint32_t part_of(std::uint32_t all, OrionShare share) {
  return all / share.threads + (share.thread < all % share.threads ? 1 : 0);
}

}  // namespace

OrionLaneCount lanes_of(const OrionParameters& parameters, OrionPoint point) {
  return {point.small, point.large * (parameters.sequential ? parameters.stream_io : 1)};
}

std::uint32_t threads_of(const OrionParameters& parameters, OrionPoint point, std::uint32_t cpus) {
  const std::uint32_t streams = parameters.sequential ? point.large : 0;
  const std::uint32_t random = point.small + point.large - streams;
  return std::clamp(std::max(streams, random / kLanesPerThread), 1U, std::max(cpus, 1U));
}

OrionLanes::OrionLanes(const OrionParameters& parameters, const OrionVolume& volume,
                       OrionPoint point, OrionShare share, std::uint64_t seed,
                       std::uint32_t point_number, bool no_repeat)
    : parameters_{parameters},
      volume_{volume},
      large_slots_{volume.slots(parameters.large_bytes)},
      small_{part_of(point.small, share)},
      lanes_{small_},
      small_offsets_{{seed, point_number, kSmallOffsets, share.thread},
                     volume.slots(parameters.small_bytes),
                     no_repeat && point.small > 0,
                     share.threads},
      large_offsets_{{seed, point_number, kLargeOffsets, share.thread},
                     large_slots_,
                     no_repeat && point.large > 0 && !parameters.sequential,
                     share.threads},
      writes_{{seed, point_number, kWrites, share.thread}} {
  if (!parameters.sequential) {
    lanes_ += part_of(point.large, share);
    return;
  }
  // Alone and striped, streams begin evenly spread; otherwise anywhere.
  const bool spread = parameters.raid0 && point.small == 0;
  CounterRandom starts{{seed, point_number, kStreamStarts}};
  for (std::uint32_t stream = 0; stream < point.large; ++stream) {
    const std::uint64_t start = spread ? striped_stream_start(large_slots_, stream, point.large)
                                       : starts.below(large_slots_);
    if (stream % share.threads != share.thread) continue;
    // A stream reads or writes as a whole.
    const bool writes = std::uint64_t{stream} * 100 / point.large < parameters.write_percent;
    streams_.push_back({start, writes});
    lanes_ += parameters.stream_io;
  }
}

IoRequest OrionLanes::at(std::uint64_t slot, std::uint64_t bytes, bool write) const {
  const VolumeExtent extent = volume_.locate(slot, bytes);
  IoRequest request;
  request.offset_bytes = extent.offset_bytes;
  request.length_bytes = static_cast<std::uint32_t>(bytes);
  request.target = extent.lun;
  request.op = write ? IoOp::kWrite : IoOp::kRead;
  return request;
}

IoRequest OrionLanes::next_in_stream(Stream& stream) const {
  const std::uint64_t slot = stream.slot;
  stream.slot = slot + 1 == large_slots_ ? 0 : slot + 1;
  return at(slot, parameters_.large_bytes, stream.writes);
}

IoRequest OrionLanes::next(std::uint32_t lane) {
  const bool small = is_small(lane);
  if (!small && parameters_.sequential) {
    return next_in_stream(streams_[(lane - small_) / parameters_.stream_io]);
  }
  const std::uint64_t slot = small ? small_offsets_.next() : large_offsets_.next();
  const bool write = writes_.below(100) < parameters_.write_percent;
  return at(slot, small ? parameters_.small_bytes : parameters_.large_bytes, write);
}

}  // namespace rigel
