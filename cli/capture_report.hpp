// What `rigel capture` says when a recording is over, on standard error, and notes in the trace.
// Nothing here throws but allocation and, for the costs, Error when the kernel does not tell them.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/block_tracer.hpp"
#include "capture/recorder.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

void note_ledger(const RecordingResult& result, TraceMeta& meta);
void report_recording(const RecordingResult& result, const TraceTables& tables);
// Of record_pages(): `all` are the I/Os that the sample was taken from.
void report_sampling(const RecordingResult& result, const page_accesses& all,
                     const std::vector<Loss>& losses);
// What each of `ios` cost; `recorder_ns` is the CPU time of the process.
void report_costs(const BlockTracer& tracer, std::uint64_t ios, std::int64_t recorder_ns);

}  // namespace rigel
