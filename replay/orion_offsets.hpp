// Which block each I/O of an ORION run goes to.
//
// Random I/O: every block of the span is equally likely and every draw independent of all others.
// The numbers come from a counter-based generator, Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC'11), whose key is the run's seed and whose
// counter is (draw, lane, thread, point): no two points, threads or lanes share a number, and a run
// can be done again from its seed. Numbers become blocks by Lemire's unbiased method ("Fast random
// integer generation in an interval", ACM TOMACS 29, 2019). With `no_repeat` the blocks come in a
// random order without repetition, a pass after the other; the threads of a point take turns in one
// order, so that each block of a pass is one thread's. One thread an object; nothing throws.
#pragma once

#include <cstdint>
#include <optional>

#include "traces/page_permutation.hpp"

namespace rigel {

// Tells the users of one seed apart: each (point, thread, lane) has a sequence of its own.
struct OffsetStream {
  std::uint64_t seed = 0;
  std::uint32_t point = 0;   // number of the point in the run
  std::uint32_t lane = 0;    // small I/Os, large I/Os, choice of writes, …; below 256
  std::uint32_t thread = 0;  // of those that issue the point's I/Os; below 2^24
};

// Uniform 64-bit numbers.
class CounterRandom {
 public:
  explicit CounterRandom(const OffsetStream& stream) : stream_{stream} {}
  [[nodiscard]] std::uint64_t next();
  // Uniform in 0 … bound-1, without bias; bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);

 private:
  OffsetStream stream_;
  std::uint64_t counter_ = 0;
  std::uint64_t second_half_ = 0;
  bool have_second_half_ = false;
};

class RandomOffsets {
 public:
  // `threads`: as many share a point's blocks out when there is no_repeat.
  RandomOffsets(const OffsetStream& stream, std::uint64_t blocks, bool no_repeat,
                std::uint32_t threads = 1);
  [[nodiscard]] std::uint64_t next();

 private:
  CounterRandom random_;
  std::uint64_t blocks_;
  std::uint32_t threads_;
  std::optional<PagePermutation> order_;  // of the pass under way
  std::uint64_t at_ = 0;
};

// Where stream `index` of `count` begins, as ORION does under raid0: at size x (i+1)/(n+1), a
// single one at 0.
[[nodiscard]] std::uint64_t striped_stream_start(std::uint64_t blocks, std::uint32_t index,
                                                 std::uint32_t count);

}  // namespace rigel
