#include "cli/latency_json.hpp"

#include <cstdint>

namespace rigel {

nlohmann::ordered_json latency_json(const LatencyHistogram& latency) {
  if (latency.count() == 0) return nullptr;
  return {{"mean", static_cast<std::int64_t>(latency.mean_ns())},
          {"p50", latency.quantile_ns(0.5)},
          {"p90", latency.quantile_ns(0.9)},
          {"p99", latency.quantile_ns(0.99)},
          {"p999", latency.quantile_ns(0.999)},
          {"p9999", latency.quantile_ns(0.9999)},
          {"max", latency.max_ns()}};
}

}  // namespace rigel
