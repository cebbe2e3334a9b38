#include "model/array/analytic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {
constexpr std::uint64_t kIosPerDepth = 20'000;
}

double uniform_hit_ratio(double cache_bytes, double span_bytes) {
  if (!(span_bytes > 0)) throw UsageError{"a span of 0 bytes"};
  return std::clamp(cache_bytes / span_bytes, 0.0, 1.0);
}

std::vector<double> depth_gain(const ArrayConfig& config, unsigned depth, std::uint32_t io_bytes) {
  if (config.queue.policy == DiskQueuePolicy::kFifo) return {1};
  ArrayConfig bare;
  bare.disks = config.disks;
  bare.disks.count = 1;
  bare.queue = config.queue;
  bare.raid.stripe_bytes = config.raid.stripe_bytes;
  PatternOptions pattern;
  pattern.span_bytes = config.disks.bytes;
  pattern.io_bytes = io_bytes;
  std::vector<double> rates;
  for (unsigned n = 1; n <= std::min(depth, config.queue.depth); ++n) {
    AccessPattern reads{pattern};
    ArraySimulator disk{bare, pattern.seed};
    std::int64_t now_ns = 0;
    const LoadResult result = run_closed(
        disk, [&] { return reads.next(); }, {.outstanding = n, .ios = kIosPerDepth}, now_ns);
    // Noise must not make a deeper queue look slower.
    rates.push_back(rates.empty() ? result.iops : std::max(result.iops, rates.back()));
  }
  const double alone = rates.front();
  for (double& rate : rates) rate /= alone;
  return rates;
}

std::vector<Station> stations_of(const ArrayConfig& config, const ReadWorkload& workload) {
  if (!(workload.hit_ratio >= 0 && workload.hit_ratio <= 1)) {
    throw UsageError{fmt::format("hit ratio {} is not between 0 and 1", workload.hit_ratio)};
  }
  const double bytes = workload.io_bytes;
  const double miss_ratio = 1 - workload.hit_ratio;
  std::vector<Station> stations;
  stations.push_back(
      {.name = "latency",
       .kind = StationKind::kDelay,
       .service_s = (static_cast<double>(config.link.latency_ns) +
                     workload.hit_ratio * static_cast<double>(config.cache.hit_time_ns)) *
                    1e-9});
  const double transfer_s =
      config.link.bytes_per_second > 0 ? bytes / config.link.bytes_per_second : 0;
  stations.push_back(
      {.name = "link in", .service_s = config.link.iops > 0 ? 1 / config.link.iops : 0});
  stations.push_back({.name = "link out", .service_s = transfer_s});
  stations.push_back({.name = "controller",
                      .service_s = static_cast<double>(config.controller.time_ns) * 1e-9,
                      .rate = servers(config.controller.cores)});
  Station disks{.name = "disks",
                .service_s = mean_disk_time_ns(config.disks, bytes) * 1e-9,
                .visits = miss_ratio / config.disks.count,
                .copies = config.disks.count};
  if (config.disks.law == ServiceLaw::kMechanical) {
    disks.rate = depth_gain(config, config.queue.depth, workload.io_bytes);
  } else if (config.disks.units > 1) {
    disks.rate = servers(config.disks.units);
  }
  stations.push_back(std::move(disks));
  return stations;
}

}  // namespace rigel
