// What a measured load curve says about an array, point by point, before any opinion: Little's law,
// what the disks can do at most, the hit ratio that throughput and latency imply, the hit ratio
// that independent uniform reads would have had by then, and whether throughput grew faster than
// the load. Pure functions; UsageError for an array that makes no sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/array/load_growth.hpp"
#include "traces/load_curve.hpp"

namespace rigel {

// The array and the workload as their owner describes them.
struct ArrayClaim {
  double disks = 0;
  double cache_bytes = 0;
  double span_bytes = 0;
  double hit_time_ns = 300'000;
  double miss_time_ns = 8'000'000;   // a read that waits for no other
  double io_bytes = 8192;            // where the curve does not say
  double page_bytes = 8192;          // of the cache
  double point_duration_ns = 60e9;   // where the curve does not say
  double link_bytes_per_second = 0;  // 0: not known
};

struct PointEvidence {
  LoadPoint point;
  double reads_before = 0;  // in all points before this one
  double reads = 0;
  double littles_error = 0;       // X R / N - 1
  bool littles_law_holds = true;  // within what rounding allows, and 1 %
  double disk_limit_iops = 0;     // all disks busy all the time, first come first served
  // Bounds no queue can break, as long as no read from disk is done faster than miss_time.
  double least_hit_by_throughput = 0;  // 1 - limit / X
  double least_hit_by_latency = 0;     // (miss - R) / (miss - hit)
  // X / that of the described disks with no hit at all. Below 0.8 even disks 25 % slower would have
  // done better: there are fewer, or the reads are spread unevenly.
  double part_of_disks = 1;
  bool faster_than_hits = false;  // X > N / hit time: not even hits alone, as described, do that
  // What the closed network of hits and disks needs for this throughput: disks 25 % faster and
  // hits unlimited; as described; disks 25 % slower and hits, one after the other, 25 % slower
  // than the best point before the late change, or after it.
  double implied_low = 0;
  double implied = 0;
  double implied_high = 0;
  double expected = 0;       // independent uniform reads, cold cache, all earlier points counted
  double expected_most = 0;  // cache / span: the same, whatever was in the cache before
  LoadGrowth growth;         // from the point before
};

// Small reads only: points with large I/Os or without throughput are left out. By rising load.
[[nodiscard]] std::vector<PointEvidence> weigh_points(const LoadCurve& curve,
                                                      const ArrayClaim& claim);

// The first point after the second at which throughput grew faster than the load; 0: none. (What
// happens between the first two points is a matter of warming up.)
[[nodiscard]] std::size_t late_change(const std::vector<PointEvidence>& points);

// Reads a second of a closed network: hits take hit_time and, each in turn, `hit_service_ns`; the
// rest goes to the disks of miss_time x `slowness`, each as likely as the others, exponential.
[[nodiscard]] double closed_throughput(const ArrayClaim& claim, double outstanding,
                                       double hit_ratio, double slowness, double hit_service_ns);

// Mean hit ratio of independent uniform reads number `before` to `before + reads` over `pages`
// pages, into an LRU cache that holds `held` of them and had seen only those reads.
[[nodiscard]] double uniform_hits_so_far(double before, double reads, double pages, double held);

}  // namespace rigel
