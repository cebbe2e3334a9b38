// A trace's summary for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/trace_summary.hpp"

namespace rigel {

// About a screen of text; `name` is what to call the trace.
[[nodiscard]] std::string summary_text(const std::string& name, const TraceSummary& summary);

// The JSON object that `rigel info --json` prints. Names in a trace are bytes: to be dumped with
// nlohmann's error_handler_t::replace.
[[nodiscard]] nlohmann::ordered_json summary_json(const TraceSummary& summary);

}  // namespace rigel
