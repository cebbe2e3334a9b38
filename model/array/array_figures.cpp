// What follows from an array's configuration.
#include <fmt/format.h>

#include <algorithm>

#include "model/array/array_config.hpp"
#include "traces/error.hpp"

namespace rigel {

double mean_disk_time_ns(const DiskConfig& disks, double bytes) {
  const double transfer = disks.bytes_per_second > 0 ? bytes / disks.bytes_per_second * 1e9 : 0;
  if (disks.law != ServiceLaw::kMechanical) return static_cast<double>(disks.time_ns) + transfer;
  const double half_rotation = 0.5 * 60e9 / disks.rpm;
  return static_cast<double>(disks.overhead_ns + disks.seek_average_ns) + half_rotation + transfer;
}

double disk_reads_per_second(const ArrayConfig& config, double bytes) {
  const double servers = static_cast<double>(config.disks.count) * config.disks.units;
  return servers / (mean_disk_time_ns(config.disks, bytes) * 1e-9);
}

double usable_fraction(const ArrayConfig& config) {
  const double disks = config.disks.count;
  switch (config.raid.level) {
    case 1:
    case 10:
      return 0.5;
    case 5:
      return (disks - 1) / disks;
    case 6:
      return (disks - 2) / disks;
    default:
      return 1;
  }
}

std::uint64_t usable_bytes(const ArrayConfig& config) {
  return static_cast<std::uint64_t>(static_cast<double>(config.disks.bytes) * config.disks.count *
                                    usable_fraction(config));
}

ArrayConfig scaled_down(ArrayConfig config, double factor) {
  if (!(factor >= 1)) throw UsageError{fmt::format("scale {}: at least 1 is wanted", factor)};
  const auto shrink = [factor](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / factor);
  };
  const std::uint64_t pages = shrink(config.cache.bytes) / config.cache.page_bytes;
  if (config.cache.bytes > 0 && pages == 0) {
    throw UsageError{fmt::format("scale {}: leaves no page of the cache", factor)};
  }
  config.cache.bytes = pages * config.cache.page_bytes;
  config.disks.bytes = std::max<std::uint64_t>(shrink(config.disks.bytes), 1 << 20);
  return config;
}

}  // namespace rigel
