// What a storage system was measured to give: the result of a replay, of ORION (ours or Oracle's),
// of a simulation, or a load curve in CSV; as much of it as can be laid beside another one. Plain
// data; reading throws Error naming the file and the cause.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/workload_profile.hpp"
#include "traces/load_curve.hpp"
#include "traces/peekable_source.hpp"

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

struct MeasuredReads {
  double count = 0;
  LatencyTable service;
};

struct MeasuredLoad {
  LoadPoint point;
  double count = 0;          // I/Os measured; 0: not known
  bool stood_still = false;  // no I/O a second was measured, which is not "not known"
  std::vector<LatencyTable> latencies;
  // Of a replay: group by group; none where it does not tell reads from writes.
  std::optional<std::vector<MeasuredReads>> reads = std::nullopt;
};

// So many of so many I/Os went wrong in one way.
struct Mishap {
  double count = 0;
  double of = 0;
};

struct MeasuredResult {
  std::string name;
  bool one_run = false;  // a replay: one load, whatever its depth
  std::vector<MeasuredLoad> loads;
  // Of a replay: "errors.EIO", "not_issued.REASON", "short_transfers"; none where it does not say.
  std::optional<std::map<std::string, Mishap>> mishaps;
  std::optional<bool> faithful;  // of a replay that knows
};

// None when it is no result, but perhaps a trace: then nothing was taken from the source. It is
// decompressed already.
[[nodiscard]] std::optional<MeasuredResult> read_result(PeekableSource& source);

// A JSON object of rigel's or fio's; none when it is something else. Throws Error when a result is
// broken.
[[nodiscard]] std::optional<MeasuredResult> parse_result_json(std::string_view text,
                                                              const std::string& name);

// What a trace's own times say, as of a replay: throughput and response times of reads and writes.
[[nodiscard]] MeasuredResult result_of_trace(const WorkloadProfile& profile,
                                             const std::string& name);

// The latency that this share of I/Os does not exceed, between the entries by straight lines of
// log latency over log(-log(1 - share)), which is exact for Weibull's distribution and so for the
// exponential one; above the last the last line goes on, below the first it is the first. The
// table has entries.
[[nodiscard]] double latency_at(const LatencyTable& table, double share);
// The reverse, the share of I/Os at or below this latency; beyond the entries the nearest's.
[[nodiscard]] double share_at_or_below(const LatencyTable& table, double ns);

}  // namespace rigel
