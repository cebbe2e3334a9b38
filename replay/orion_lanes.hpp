// The I/Os that one issuing thread keeps outstanding at a point of an ORION run, and what each of
// them does next. A lane is one outstanding I/O: of the small random ones, of the large random
// ones, or one of the several of a sequential stream, all of which are one thread's. One thread;
// nothing throws but the constructor (memory).
#pragma once

#include <cstdint>
#include <vector>

#include "replay/io_engine.hpp"
#include "replay/orion_offsets.hpp"
#include "replay/orion_plan.hpp"
#include "replay/orion_volume.hpp"

namespace rigel {

// Which of the threads that issue a point's I/Os.
struct OrionShare {
  std::uint32_t thread = 0;
  std::uint32_t threads = 1;
};

// Lanes of a point, all threads together.
struct OrionLaneCount {
  std::uint32_t small = 0;
  std::uint32_t large = 0;
};
[[nodiscard]] OrionLaneCount lanes_of(const OrionParameters& parameters, OrionPoint point);

// How many threads issue a point's I/Os on a host of so many CPUs: one for each sequential stream,
// or one for every 16 random I/Os if that is more, but never more than there are CPUs. A single
// I/O, and as few as one thread issues without being the bound, stay together.
[[nodiscard]] std::uint32_t threads_of(const OrionParameters& parameters, OrionPoint point,
                                       std::uint32_t cpus);

class OrionLanes {
 public:
  OrionLanes(const OrionParameters& parameters, const OrionVolume& volume, OrionPoint point,
             OrionShare share, std::uint64_t seed, std::uint32_t point_number, bool no_repeat);

  [[nodiscard]] std::uint32_t size() const { return lanes_; }
  [[nodiscard]] bool is_small(std::uint32_t lane) const { return lane < small_; }
  // The lane's next I/O, without slot and buffer.
  [[nodiscard]] IoRequest next(std::uint32_t lane);

 private:
  struct Stream {
    std::uint64_t slot;  // that comes next
    bool writes;
  };
  [[nodiscard]] IoRequest at(std::uint64_t slot, std::uint64_t bytes, bool write) const;
  [[nodiscard]] IoRequest next_in_stream(Stream& stream) const;

  const OrionParameters& parameters_;
  const OrionVolume& volume_;
  std::uint64_t large_slots_;
  std::uint32_t small_;
  std::uint32_t lanes_;
  RandomOffsets small_offsets_;
  RandomOffsets large_offsets_;
  CounterRandom writes_;
  std::vector<Stream> streams_;
};

}  // namespace rigel
