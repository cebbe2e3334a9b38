// Moves a trace from a source to wherever it shall go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traces/trace_sink.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// Calls `create` once the first records are there, so that an input which cannot be read leaves no
// empty file and costs no old one. Warnings and damage go to standard error. Returns the exit code:
// kExitFailed when a part of the input could not be read, or that of a signal that ended it early.
int copy_trace(TraceSource& source, const std::function<std::unique_ptr<TraceSink>()>& create);

// Throws UsageError when `out` is one of the inputs, which writing would destroy.
void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& out);

}  // namespace rigel
