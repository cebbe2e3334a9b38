// A trace's summary for people and for programs.
#pragma once

#include <string>

#include "traces/trace_summary.hpp"

namespace rigel {

// About a screen of text; `name` is what to call the trace.
[[nodiscard]] std::string summary_text(const std::string& name, const TraceSummary& summary);

// The JSON object that `rigel info --json` prints. Names in a trace are bytes: what is not UTF-8 in
// them becomes U+FFFD.
[[nodiscard]] std::string summary_json(const TraceSummary& summary);

}  // namespace rigel
