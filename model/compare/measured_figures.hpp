// The figures of one measured load, each with the interval that its count of I/Os allows, and those
// between two loads of a curve.
//
// IOPS: counts vary by their square root (a Poisson process); with more than one outstanding by
// twice that variance, which simulated closed loops do not exceed. So does, by Little's law, the
// mean latency of a load. A percentile's interval is that of the order statistics whose ranks are
// the binomial's limits (C. J. Clopper, E. S. Pearson, Biometrika 26, 1934; H. A. David, H. N.
// Nagaraja, "Order Statistics", 2003, 7.1), read off between the percentiles that the result has;
// that of a table's mean is by the spread that its percentiles show. For both, n is the count
// divided by the number outstanding: what is in flight at once waits in the same queue. Rounding of
// the file widens all. Pure functions; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/measured_result.hpp"
#include "model/compare/workload_comparison.hpp"

namespace rigel {

// What can be said of a figure's interval.
enum class Certainty : std::uint8_t {
  kInterval,      // it has one
  kNoCount,       // the count of I/Os is not known: the value alone
  kFewIos,        // too few I/Os wait apart from each other for an interval
  kBetweenLoads,  // between two measured loads: what both allow
};

struct Measured {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  Certainty certainty = Certainty::kInterval;
};

struct MeasuredFigure {
  std::string key;  // "iops", "service_time_ns.p99"
  FigureUnit unit = FigureUnit::kCount;
  Measured measured;
};

struct MeasuredFigures {
  std::vector<MeasuredFigure> figures;
  std::vector<std::string> too_few;  // percentiles that fewer than 20 I/Os are beyond: no figures
};

// Intervals are of so many normal deviations on either side.
[[nodiscard]] MeasuredFigures figures_of(const MeasuredLoad& load, double deviations);

// By straight lines over the number outstanding, `part` of the way from the lower to the higher of
// two neighbouring loads. How the curve bends between them is not known, only that it rises or
// falls: the interval reaches from the lowest to the highest that either allows.
[[nodiscard]] MeasuredFigures figures_between(const MeasuredFigures& lower,
                                              const MeasuredFigures& higher, double part);

}  // namespace rigel
