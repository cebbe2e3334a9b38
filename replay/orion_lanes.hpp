// The I/Os that one point of an ORION run keeps outstanding, and what each of them does next.
// A lane is one outstanding I/O: of the small random ones, of the large random ones, or one of the
// several of a sequential stream. One thread; nothing throws but the constructor (memory).
#pragma once

#include <cstdint>
#include <vector>

#include "replay/io_engine.hpp"
#include "replay/orion_offsets.hpp"
#include "replay/orion_plan.hpp"
#include "replay/orion_volume.hpp"

namespace rigel {

class OrionLanes {
 public:
  OrionLanes(const OrionParameters& parameters, const OrionVolume& volume, OrionPoint point,
             std::uint64_t seed, std::uint32_t point_number, bool no_repeat);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(lanes_); }
  [[nodiscard]] bool is_small(std::uint32_t lane) const { return lane < small_; }
  // The lane's next I/O, without slot and buffer.
  [[nodiscard]] IoRequest next(std::uint32_t lane);

 private:
  [[nodiscard]] std::uint64_t next_in_stream(std::uint32_t stream);

  const OrionParameters& parameters_;
  const OrionVolume& volume_;
  std::uint64_t large_slots_;
  std::uint32_t small_;
  std::uint64_t lanes_;
  RandomOffsets small_offsets_;
  RandomOffsets large_offsets_;
  CounterRandom writes_;
  std::vector<std::uint64_t> streams_;  // the slot that comes next in each
};

}  // namespace rigel
