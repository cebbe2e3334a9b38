#include "cli/model_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

constexpr std::array kNames{"write",      "dirty-high", "dirty-low", "destage-age",
                            "read-ahead", "segment",    "flash"};

double share(const po::variables_map& values, const char* name, double usual) {
  if (values.count(name) == 0) return usual;
  const double value = values[name].as<double>();
  if (!(value >= 0 && value <= 1)) {
    throw UsageError{fmt::format("--{} is a share of the cache, 0 to 1", name)};
  }
  return value;
}

// How often `unit_bytes` goes into an option's size, which it must do without a rest.
std::uint64_t multiple(const po::variables_map& values, const char* name,
                       std::uint64_t unit_bytes) {
  const std::uint64_t bytes = values[name].as<SizeArg>().bytes;
  if (bytes == 0 || bytes % unit_bytes != 0) {
    throw UsageError{fmt::format("--{} must be a multiple of {}", name, format_bytes(unit_bytes))};
  }
  return bytes / unit_bytes;
}

void set_writes(const po::variables_map& values, ControllerOptions& options) {
  if (values.count("write") != 0) {
    const auto& how = values["write"].as<std::string>();
    if (how != "back" && how != "through") {
      throw UsageError{fmt::format("--write {}: there are back and through", how)};
    }
    options.write_back = how == "back";
  }
  for (const char* name : {"dirty-high", "dirty-low", "destage-age"}) {
    if (values.count(name) != 0 && !options.write_back) {
      throw UsageError{fmt::format("--{} goes with --write back", name)};
    }
  }
  options.dirty_high = share(values, "dirty-high", options.dirty_high);
  options.dirty_low = share(values, "dirty-low", std::min(options.dirty_low, options.dirty_high));
  if (options.dirty_low > options.dirty_high) {
    throw UsageError{"--dirty-low is above --dirty-high"};
  }
  if (values.count("destage-age") != 0) {
    options.destage_age_ns = values["destage-age"].as<DurationArg>().ns;
    if (options.destage_age_ns <= 0) throw UsageError{"--destage-age must be above 0"};
  }
}

// NaN of nothing.
double ratio(std::uint64_t part, double whole) {
  return static_cast<double>(part) / whole;
}

}  // namespace

void add_controller_options(CommandOptions& options) {
  options.add()("write", po::value<std::string>(), "the array's cache writes back or through")(
      "dirty-high", po::value<double>(), "share of the cache that may be dirty (0.5)")(
      "dirty-low", po::value<double>(), "share down to which it is then destaged (0.3)")(
      "destage-age", po::value<DurationArg>(), "destage what was dirty for so long")(
      "read-ahead", po::value<SizeArg>(), "read this far ahead of sequential streams")(
      "segment", po::value<SizeArg>(), "the cache's space comes in segments (tracks) of this size")(
      "flash", po::value<SizeArg>(), "a second tier of this size behind each cache");
}

std::optional<ControllerOptions> controller_options(const po::variables_map& values,
                                                    std::uint32_t page_bytes) {
  ControllerOptions options;
  bool any = false;
  for (const char* name : kNames) any = any || values.count(name) != 0;
  if (!any) return std::nullopt;
  set_writes(values, options);
  if (values.count("segment") != 0) {
    const std::uint64_t pages = multiple(values, "segment", page_bytes);
    if (pages > kMostPagesPerSegment) {
      throw UsageError{fmt::format("--segment holds more than {} pages", kMostPagesPerSegment)};
    }
    options.pages_per_segment = static_cast<std::uint32_t>(pages);
  }
  if (values.count("read-ahead") != 0) {
    const std::uint64_t pages = multiple(values, "read-ahead", page_bytes);
    if (pages > 1U << 20) throw UsageError{"--read-ahead is more than 2^20 pages"};
    options.read_ahead_pages = static_cast<std::uint32_t>(pages);
  }
  if (values.count("flash") != 0) {
    options.flash_segments =
        multiple(values, "flash", std::uint64_t{page_bytes} * options.pages_per_segment);
  }
  return options;
}

std::string controller_text(const CacheAnswer& answer) {
  std::string text = fmt::format(
      "\n{:<10} {:>12} {:>11} {:>11} {:>10} {:>10} {:>10} {:>12} {:>10}\n", "policy", "cache",
      "disk reads", "disk writes", "spared", "dirty hits", "flash hits", "read ahead", "in vain");
  for (const CacheResult& result : answer.results) {
    const ControllerCounts& counts = *result.controller;
    const std::uint64_t vain = counts.read_ahead_wasted + counts.read_ahead_at_end;
    text += fmt::format("{:<10} {:>12} {:>11} {:>11} {:>10} {:>10} {:>10} {:>12} {:>10}\n",
                        result.policy, format_bytes(result.cache_bytes),
                        format_count(counts.disk_reads), format_count(counts.disk_writes),
                        format_count(counts.overwrites), format_count(counts.dirty_read_hits),
                        format_count(counts.flash_hits), format_count(counts.read_ahead),
                        format_count(vain));
  }
  return text + "In pages; spared: writes to what was dirty anyway; dirty hits: reads of it.\n";
}

nlohmann::ordered_json controller_json(const CacheResult& result, const CacheAnswer& answer) {
  const ControllerCounts& counts = *result.controller;
  return {{"disk_read_pages", counts.disk_reads},
          {"disk_written_pages", counts.disk_writes},
          {"dirty_read_hits", counts.dirty_read_hits},
          {"overwritten_dirty_pages", counts.overwrites},
          {"destaged_by_age", counts.destaged_by_age},
          {"destaged_by_watermark", counts.destaged_by_watermark},
          {"destaged_by_eviction", counts.destaged_by_eviction},
          {"dirty_pages_at_end", counts.dirty_at_end},
          {"read_ahead_pages", counts.read_ahead},
          {"read_ahead_used", counts.read_ahead_used},
          {"read_ahead_wasted", counts.read_ahead_wasted},
          {"read_ahead_unused_at_end", counts.read_ahead_at_end},
          {"flash_hits", counts.flash_hits},
          {"flash_hit_ratio", ratio(counts.flash_hits, answer.total.all_pages())}};
}

}  // namespace rigel
