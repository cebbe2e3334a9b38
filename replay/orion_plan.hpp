// What an ORION run consists of: the parameters of its command line and, out of them, the ladder of
// points, each a number of small and of large I/Os kept outstanding.
//
// The ladder is ORION's, as observed from public runs of 10.2 to 19c: levels rise by
// step = max(1, max/20) in integers, but the first `step` levels are visited one by one; small goes
// to 5 x num_disks (oltp: 20 x), large to 2 x num_disks.
// Pure; plan_orion throws UsageError for parameters that contradict each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rigel {

enum class OrionMatrix : std::uint8_t { kBasic, kDetailed, kPoint, kCol, kRow, kMax };

struct OrionParameters {
  std::string run;  // simple, normal, advanced, oltp or dss
  std::string test_name = "orion";
  std::uint32_t num_disks = 0;
  std::uint64_t small_bytes = 8U << 10;
  std::uint64_t large_bytes = 1U << 20;
  bool sequential = false;      // large I/Os come in streams
  std::uint32_t stream_io = 4;  // outstanding I/Os of each stream
  bool raid0 = false;           // LUNs striped, not one behind the other
  std::uint64_t stripe_bytes = 1U << 20;
  std::uint32_t write_percent = 0;
  std::optional<std::uint64_t> cache_bytes;  // unset: caches are warmed for two minutes; 0: never
  std::int64_t duration_ns = 60'000'000'000;
  OrionMatrix matrix = OrionMatrix::kBasic;
  std::optional<std::uint32_t> num_small;
  std::optional<std::uint32_t> num_large;
};

struct OrionPoint {
  std::uint32_t small = 0;
  std::uint32_t large = 0;
  friend bool operator==(const OrionPoint&, const OrionPoint&) = default;
};

struct OrionPlan {
  std::vector<std::uint32_t> small_columns;  // as the CSV files and the summary list them
  std::vector<std::uint32_t> large_columns;
  std::vector<OrionPoint> points;  // in running order; 0/0, where there is one, runs nothing
};

// 1..step, then multiples of step up to `max`; empty for 0.
[[nodiscard]] std::vector<std::uint32_t> orion_levels(std::uint32_t max);

[[nodiscard]] OrionPlan plan_orion(const OrionParameters& parameters);

// Whether two minutes (or the cache's size) of random reads go before this point.
[[nodiscard]] bool warms_cache_before(const OrionParameters& parameters, OrionPoint point);

// "Test will take approximately N minutes": a point more than there are, for the tests that ORION's
// versions agree on, and the time of warming caches.
[[nodiscard]] std::uint64_t estimated_minutes(const OrionParameters& parameters,
                                              const OrionPlan& plan);

}  // namespace rigel
