// What a simulated array did between two moments: throughput, response times, hits, and how busy
// each of its parts was. Watches an ArraySimulator, which must outlive it; the owner adds each
// completion. One thread; throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/array/array_simulator.hpp"
#include "traces/latency_histogram.hpp"

namespace rigel {

struct PartUse {
  std::string part;        // "link in", "link out", "controller", "disks"
  double utilisation = 0;  // 0..1; of the disks the mean
  double busiest = 0;      // of the disks the busiest one; otherwise the same
};

struct LoadResult {
  double outstanding = 0;  // closed loop: as asked; open loop: the mean
  std::uint64_t ios = 0;
  std::int64_t duration_ns = 0;
  double iops = 0;
  double bytes_per_second = 0;
  double hit_ratio = 0;     // of reads, by request
  bool overloaded = false;  // open loop: ever more I/Os waited, see OpenLoop
  LatencyHistogram latency;
  LatencyHistogram read_latency;
  LatencyHistogram write_latency;
  std::vector<PartUse> parts;
  [[nodiscard]] const PartUse& bottleneck() const;
};

class LoadMeter {
 public:
  // Measures from `now_ns` on.
  LoadMeter(const ArraySimulator& array, std::int64_t now_ns);

  void add(const ArrayCompletion& completion);
  [[nodiscard]] std::uint64_t ios() const { return latency_.count(); }
  // Of what was added until `now_ns`; `outstanding` by Little's law.
  [[nodiscard]] LoadResult result(std::int64_t now_ns) const;

 private:
  const ArraySimulator& array_;
  std::int64_t start_ns_;
  ArrayCounters before_;
  std::vector<double> disks_before_;
  LatencyHistogram latency_;
  LatencyHistogram read_latency_;
  LatencyHistogram write_latency_;
  std::uint64_t bytes_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace rigel
