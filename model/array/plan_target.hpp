// What a configuration has to reach, as a planner writes it:
//   p99(read)<5ms   mean<2ms   hit>80%   busy<70%
// A quantity, the operations it is of (read, write; both without), < or >, a limit.
// Quantities: mean, max and pN (p50, p99, p99.9 or p999) of the response time; hit (of reads, by
// request); busy (of the busiest part: link, controller or disk).
// Plain values; parsing throws UsageError.
#pragma once

#include <string>
#include <string_view>

#include "model/array/load_meter.hpp"

namespace rigel {

struct PlanTarget {
  enum class Quantity : std::uint8_t { kMean, kMax, kQuantile, kHit, kBusy };
  enum class Ops : std::uint8_t { kAll, kRead, kWrite };

  std::string text;  // as it was given
  Quantity quantity = Quantity::kMean;
  Ops ops = Ops::kAll;
  double quantile = 0;
  bool at_most = true;
  double limit = 0;  // ns, or a ratio

  // Of a load that was simulated, in the unit of `limit`. Of no I/O of the kind asked for: 0.
  [[nodiscard]] double value(const LoadResult& result) const;
  [[nodiscard]] bool is_met_by(const LoadResult& result) const;
  // Whether the load has I/O of the kind asked for.
  [[nodiscard]] bool has_ios(const LoadResult& result) const;
  // Above 1 when met, the less the worse: how near the value is to the limit.
  [[nodiscard]] double margin(const LoadResult& result) const;
  [[nodiscard]] std::string format(double value) const;

 private:
  [[nodiscard]] const LatencyHistogram& latency_of(const LoadResult& result) const;
};

[[nodiscard]] PlanTarget parse_plan_target(std::string_view text);

}  // namespace rigel
