// Runs a workload against a simulated array in virtual time and measures it: closed loop (a fixed
// number of I/Os outstanding, as ORION and fio do it) or open loop (a trace's own arrival times).
// One thread. Throws UsageError for settings that make no sense and Error for a trace that cannot
// be used.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
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

struct OpenLoop {
  double speed = 1;
  std::int64_t warm_up_ns = 0;  // of the trace: what arrives in it is not measured
  // With so many waiting the run ends, and the array is overloaded. That it is, too, when more than
  // 16 I/Os for each disk wait as the last one comes, and take a twentieth of the trace's time.
  std::uint64_t most_outstanding = std::numeric_limits<std::uint64_t>::max();
  std::function<bool()> go_on = [] { return true; };  // asked now and then
};
// Replays reads and writes of the trace at their start times, divided by the speed. Several devices
// are LUNs of the one array, each with addresses of its own that begin somewhere on its disks.
[[nodiscard]] LoadResult run_open(ArraySimulator& array, TraceSource& trace, const OpenLoop& loop);

// Reads and writes of a trace one after the other, whenever they were issued.
[[nodiscard]] NextIo trace_ios(TraceSource& trace, const ArrayConfig& config);

// Passes accesses of `pattern` through the cache until it is full and as many again, at most
// `limit`; what a long run before this one would have left.
void warm_up(ArraySimulator& array, AccessPattern& pattern, std::uint64_t limit);

}  // namespace rigel
