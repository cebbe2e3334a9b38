#include "replay/orion_lanes.hpp"

namespace rigel {
namespace {

// OffsetStream::lane: which of a point's sequences of random numbers.
enum Sequence : std::uint32_t { kSmallOffsets, kLargeOffsets, kStreamStarts, kWrites };

}  // namespace

OrionLanes::OrionLanes(const OrionParameters& parameters, const OrionVolume& volume,
                       OrionPoint point, std::uint64_t seed, std::uint32_t point_number,
                       bool no_repeat)
    : parameters_{parameters},
      volume_{volume},
      large_slots_{volume.slots(parameters.large_bytes)},
      small_{point.small},
      lanes_{point.small +
             std::uint64_t{point.large} * (parameters.sequential ? parameters.stream_io : 1)},
      small_offsets_{{seed, point_number, kSmallOffsets},
                     volume.slots(parameters.small_bytes),
                     no_repeat && point.small > 0},
      large_offsets_{{seed, point_number, kLargeOffsets},
                     large_slots_,
                     no_repeat && point.large > 0 && !parameters.sequential},
      writes_{{seed, point_number, kWrites}} {
  if (!parameters.sequential) return;
  // Alone and striped, streams begin evenly spread; otherwise anywhere.
  const bool spread = parameters.raid0 && point.small == 0;
  CounterRandom starts{{seed, point_number, kStreamStarts}};
  for (std::uint32_t stream = 0; stream < point.large; ++stream) {
    streams_.push_back(spread ? striped_stream_start(large_slots_, stream, point.large)
                              : starts.below(large_slots_));
  }
}

std::uint64_t OrionLanes::next_in_stream(std::uint32_t stream) {
  const std::uint64_t slot = streams_[stream];
  streams_[stream] = slot + 1 == large_slots_ ? 0 : slot + 1;
  return slot;
}

IoRequest OrionLanes::next(std::uint32_t lane) {
  const bool small = is_small(lane);
  const std::uint64_t bytes = small ? parameters_.small_bytes : parameters_.large_bytes;
  const std::uint64_t slot = small ? small_offsets_.next()
                             : parameters_.sequential
                                 ? next_in_stream((lane - small_) / parameters_.stream_io)
                                 : large_offsets_.next();
  const VolumeExtent extent = volume_.locate(slot, bytes);
  // A stream reads or writes as a whole; of other I/Os each is drawn.
  const bool in_stream = !small && parameters_.sequential;
  const std::uint64_t draw = in_stream
                                 ? (lane - small_) / parameters_.stream_io * 100 / streams_.size()
                                 : writes_.below(100);
  IoRequest request;
  request.offset_bytes = extent.offset_bytes;
  request.length_bytes = static_cast<std::uint32_t>(bytes);
  request.target = extent.lun;
  request.op = draw < parameters_.write_percent ? IoOp::kWrite : IoOp::kRead;
  return request;
}

}  // namespace rigel
