// Moves a trace from a source to a file of any format that can be written.
#pragma once

#include <string>
#include <vector>

#include "traces/exporter.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// Creates `out` once the first records are there, so that an input which cannot be read leaves no
// empty file and costs no old one. Stops at SIGINT or SIGTERM with what was written complete.
// Returns the exit code: kExitFailed when a part of the input could not be read, or a signal's.
int copy_trace(TraceSource& source, const std::string& out, const ExportOptions& options);

// The doubts about an input on standard error, a line each.
void report_warnings(const TraceTables& tables);

// Throws UsageError when `out` is one of the inputs, which writing would destroy.
void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& out);

}  // namespace rigel
