// The rule that needs no model of the array: in a stationary closed network whose stations do not
// speed up with their queues, throughput cannot grow faster than the load,
// X(n2) / X(n1) <= n2 / n1 for n2 > n1, whatever the stations and their number (X(n) / n is the
// reciprocal of the response time, which does not fall with n: E. D. Lazowska et al., "Quantitative
// System Performance", 1984, chapter 5). Latency that falls while load grows breaks it: something
// changed, or a scheduler gained from depth.
// Pure functions.
#pragma once

#include "traces/load_curve.hpp"

namespace rigel {

struct LoadGrowth {
  double throughput = 1;  // X(n2) / X(n1)
  double load = 1;        // n2 / n1
  // How much of that ratio may be chance and rounding: four standard errors of the I/Os counted.
  double uncertainty = 0;

  // `slack`: what is let pass besides, as noise.
  [[nodiscard]] bool is_faster_than_load(double slack) const {
    return load > 1 && throughput > load * (1 + slack + uncertainty);
  }
};

// Of two points with throughput, by rising load. Where a point has no duration, nothing of its
// throughput is taken as chance.
[[nodiscard]] LoadGrowth growth_between(const LoadPoint& before, const LoadPoint& after);

}  // namespace rigel
