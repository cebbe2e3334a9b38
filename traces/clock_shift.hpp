// Moves a trace's clock: every time it holds becomes `shift_ns` later (earlier, when negative).
#pragma once

#include <cstdint>
#include <memory>

#include "traces/trace_source.hpp"

namespace rigel {

// `time_ns` later by `shift_ns`; kNoTime stays. Throws Error when that leaves the range of 64 bits.
[[nodiscard]] std::int64_t shifted_time(std::int64_t time_ns, std::int64_t shift_ns);
[[nodiscard]] IoRecord shifted_record(const IoRecord& record, std::int64_t shift_ns);

// The wall time of t = 0 stays, so that the wall time of every I/O moves. next() throws as
// shifted_time does.
[[nodiscard]] std::unique_ptr<TraceSource> shift_clock(std::unique_ptr<TraceSource> source,
                                                       std::int64_t shift_ns);

}  // namespace rigel
