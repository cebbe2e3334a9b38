// How long I/Os took, and when: counts over time (DoublingAxis) and latency (four rows to a power
// of two, from 1 us to 137 s), in constant memory. Not thread safe; nothing throws but allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/activity_map.hpp"

namespace rigel {

class LatencyMap {
 public:
  static constexpr std::size_t kColumns = 128;  // of time
  static constexpr unsigned kLowestBits = 10;   // the first row: all below 2^10 ns and a bit more
  static constexpr unsigned kHighestBits = 37;  // the last row: all from about 2^37 ns on
  static constexpr std::size_t kRows = (kHighestBits - kLowestBits) * 4;
  LatencyMap() : counts_(kColumns * kRows) {}

  // `time_ns` is since the trace's first I/O; negative times and latencies count as 0.
  void add(std::int64_t time_ns, std::int64_t latency_ns);

  struct Picture {
    std::uint64_t column_ns = 0;
    std::vector<std::uint64_t> bounds_ns;          // row i: [bounds_ns[i], bounds_ns[i + 1])
    std::vector<std::vector<std::uint64_t>> rows;  // the fastest first, without empty ones at ends
  };
  [[nodiscard]] Picture picture() const;

 private:
  DoublingAxis time_{20, kColumns};
  std::vector<std::uint64_t> counts_;
};

}  // namespace rigel
