// What `rigel capture` says when a recording is over, on standard error, and notes in the trace.
// Nothing here throws but allocation and, for the costs, Error when the kernel does not tell them.
#pragma once

#include <string>

#include "capture/block_tracer.hpp"
#include "capture/recorder.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

void note_ledger(const RecordingResult& result, TraceMeta& meta);
void report_recording(const RecordingResult& result, const TraceTables& tables);
void report_costs(const BlockTracer& tracer, const RecordingResult& result);

}  // namespace rigel
