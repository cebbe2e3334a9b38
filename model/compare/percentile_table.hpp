// Percentiles of a latency, what lies between them, and those of several groups of I/Os together.
// Plain data and pure functions; nothing throws but allocation.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace rigel {

// Those that results have, by the names of their JSON.
struct Percentile {
  const char* name;
  double share;
};
inline constexpr std::array kPercentiles{Percentile{"p50", 0.5}, Percentile{"p90", 0.9},
                                         Percentile{"p99", 0.99}, Percentile{"p999", 0.999},
                                         Percentile{"p9999", 0.9999}};

// Rising.
struct PercentileTable {
  struct Entry {
    std::string name;  // "p99"
    double share = 0;  // 0.99
    double ns = 0;
  };
  std::string name;    // "service_time_ns"
  double mean_ns = 0;  // 0: not known
  std::vector<Entry> entries;
  double count = 0;  // of I/Os in it; 0: as many as the load has
};

struct PercentileGroup {
  double count = 0;
  PercentileTable latency;
};

// The latency that this share of I/Os does not exceed, between the entries by straight lines of
// log latency over log(-log(1 - share)), which is exact for Weibull's distribution and so for the
// exponential one; above the last the last line goes on, below the first it is the first. The
// table has entries.
[[nodiscard]] double latency_at(const PercentileTable& table, double share);
// The reverse, the share of I/Os at or below this latency; beyond the entries the nearest's.
[[nodiscard]] double share_at_or_below(const PercentileTable& table, double ns);

// What is known of the share of I/Os that take less: it lies between those of the neighbouring
// entries, whatever the distribution between them. The table has entries.
struct ShareBelow {
  double least = 0;
  double likely = 0;  // between entries as share_at_or_below
  double most = 1;
};
[[nodiscard]] ShareBelow share_below(const PercentileTable& table, double ns);

// p50, p90, p99, p999 and p9999 of all groups together, each where the groups' percentiles say it
// to 5 %: at the latency that as large a share of all does not exceed, between a group's entries as
// above, beyond them anything. No entries where a group has none; no mean where a group has none.
[[nodiscard]] PercentileTable pooled(std::string name, const std::vector<PercentileGroup>& groups);

// "read_service_time_ns" and "write_service_time_ns", where both were done: elsewhere those of all
// are as much.
[[nodiscard]] std::vector<PercentileTable> by_operation(const std::vector<PercentileGroup>& reads,
                                                        const std::vector<PercentileGroup>& writes);

}  // namespace rigel
