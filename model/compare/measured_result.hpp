// What a storage system was measured to give: the result of a replay, of ORION (ours or Oracle's),
// of a simulation, or a load curve in CSV; as much of it as can be laid beside another one. Plain
// data; reading throws Error naming the file and the cause.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/workload_profile.hpp"
#include "traces/load_curve.hpp"

namespace rigel {

// Percentiles of a latency, rising.
struct LatencyTable {
  struct Entry {
    std::string name;  // "p99"
    double share = 0;  // 0.99
    double ns = 0;
  };
  std::string name;    // "service_time_ns"
  double mean_ns = 0;  // 0: not known
  std::vector<Entry> entries;
};

struct MeasuredLoad {
  LoadPoint point;
  double count = 0;  // I/Os measured; 0: not known
  std::vector<LatencyTable> latencies;
};

struct MeasuredResult {
  std::string name;
  bool one_run = false;  // a replay: one load, whatever its depth
  std::vector<MeasuredLoad> loads;
};

// None when the file is no result, but perhaps a trace. "-" is taken for a trace.
[[nodiscard]] std::optional<MeasuredResult> read_result(const std::string& path);

// A JSON object of rigel's; none when it is something else. Throws Error when a result is broken.
[[nodiscard]] std::optional<MeasuredResult> parse_result_json(std::string_view text,
                                                              const std::string& name);

// What a trace's own times say, as of a replay: throughput and response times of reads and writes.
[[nodiscard]] MeasuredResult result_of_trace(const WorkloadProfile& profile,
                                             const std::string& name);

// The latency that this share of I/Os does not exceed, between the entries by straight lines of
// log latency over log(-log(1 - share)), which is exact for Weibull's distribution and so for the
// exponential one; beyond them the nearest. The table has entries.
[[nodiscard]] double latency_at(const LatencyTable& table, double share);
// The reverse: the share of I/Os at or below this latency.
[[nodiscard]] double share_at_or_below(const LatencyTable& table, double ns);

}  // namespace rigel
