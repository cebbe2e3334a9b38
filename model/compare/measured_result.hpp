// What a storage system was measured to give: the result of a replay, of ORION (ours or Oracle's),
// of a simulation, or a load curve in CSV; as much of it as can be laid beside another one. Plain
// data; reading throws Error naming the file and the cause.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/percentile_table.hpp"
#include "model/compare/workload_profile.hpp"
#include "traces/load_curve.hpp"
#include "traces/peekable_source.hpp"

namespace rigel {

struct MeasuredLoad {
  LoadPoint point;
  double count = 0;          // I/Os measured; 0: not known
  bool stood_still = false;  // no I/O a second was measured, which is not "not known"
  std::vector<PercentileTable> latencies;
  // Group by group; none where the result does not tell reads from writes.
  std::optional<std::vector<PercentileGroup>> reads = std::nullopt;
};

// So many of so many I/Os went wrong in one way.
struct Mishap {
  double count = 0;
  double of = 0;
  bool counted_all = false;  // no sample of what might have happened: chance has no part in it
};

struct MeasuredResult {
  std::string name;
  bool one_run = false;  // a replay: one load, whatever its depth
  std::vector<MeasuredLoad> loads;
  // "errors.EIO", "not_issued.REASON", "short_transfers", fio's "failed_jobs"; none where it does
  // not say.
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

}  // namespace rigel
