// A latency distribution as every command prints it with --json: mean, p50 … p9999 and max, in
// whole nanoseconds; null when nothing was measured. Throws nothing but for want of memory.
#pragma once

#include <nlohmann/json.hpp>

#include "traces/latency_histogram.hpp"

namespace rigel {

[[nodiscard]] nlohmann::ordered_json latency_json(const LatencyHistogram& latency);

}  // namespace rigel
