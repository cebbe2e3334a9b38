// Runs a workload against a simulated array in virtual time and measures it: closed loop (a fixed
// number of I/Os outstanding, as ORION and fio do it) or open loop (a trace's own arrival times).
// One thread. Throws UsageError for settings that make no sense and Error for a trace that cannot
// be used.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/array/access_pattern.hpp"
#include "model/array/array_simulator.hpp"
#include "model/array/load_meter.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// The next I/O, or nothing at the end.
using NextIo = std::function<std::optional<ArrayIo>()>;

struct ClosedLoop {
  unsigned outstanding = 1;
  std::uint64_t ios = 100'000;       // measured; fewer when the workload ends
  std::uint64_t warm_up_ios = 1000;  // timed, before the measured ones
};
// Continues on `array` from `now_ns`, which becomes the time when the last I/O was done.
[[nodiscard]] LoadResult run_closed(ArraySimulator& array, const NextIo& next,
                                    const ClosedLoop& loop, std::int64_t& now_ns);

// Replays reads and writes of the trace at their start times, divided by `speed`. The first device
// only, or all laid end to end when the trace has several: each device gets its own 2^48 bytes.
// What arrives in the first `warm_up_ns` of the trace is not measured.
[[nodiscard]] LoadResult run_open(ArraySimulator& array, TraceSource& trace, double speed,
                                  std::int64_t warm_up_ns = 0);

// Reads and writes of a trace one after the other, whenever they were issued.
[[nodiscard]] NextIo trace_ios(TraceSource& trace);

// Passes accesses of `pattern` through the cache until it is full and as many again, at most
// `limit`; what a long run before this one would have left.
void warm_up(ArraySimulator& array, AccessPattern& pattern, std::uint64_t limit);

}  // namespace rigel
