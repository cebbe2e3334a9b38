// The array as a closed queueing network, for random reads: what simulation.hpp measures, computed.
// Exact where every service is exponential and disks serve first come first served; constant
// services are taken as exponential, which makes queues longer than they are. Disks that reorder
// their queues are stations whose rate grows with depth as one simulated disk's does.
// Pure functions; UsageError for what the method cannot answer.
#pragma once

#include <cstdint>
#include <vector>

#include "model/array/array_config.hpp"
#include "model/array/queueing.hpp"

namespace rigel {

struct ReadWorkload {
  double hit_ratio = 0;  // 0..1
  std::uint32_t io_bytes = 8192;
};

// In order: "latency" (link and hits, no queue), "link in", "link out", "controller", "disks".
[[nodiscard]] std::vector<Station> stations_of(const ArrayConfig& config,
                                               const ReadWorkload& workload);

// The part of uniform random reads over `span_bytes` that a full cache answers: cache / span, and
// never more, whatever the policy or the page (every page is as likely as every other).
[[nodiscard]] double uniform_hit_ratio(double cache_bytes, double span_bytes);

// How much faster one disk of `config` serves with 1, 2, … `depth` random reads in its queue than
// with one, by simulating it; {1} for disks that do not reorder.
[[nodiscard]] std::vector<double> depth_gain(const ArrayConfig& config, unsigned depth,
                                             std::uint32_t io_bytes);

}  // namespace rigel
