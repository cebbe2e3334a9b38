// Two measured results side by side: throughput and latencies, each with the 95 % interval that
// its count of I/Os allows, and whether the difference is more than noise.
//
// IOPS: counts vary by their square root (a Poisson process); with more than one outstanding by
// twice that variance, which simulated closed loops do not exceed. So does, by Little's law, the
// mean latency of a load. A percentile's interval is that of the order statistics at p -+ 1.96
// sqrt(p (1 - p) / n) (H. A. David, H. N. Nagaraja, "Order Statistics", 2003, 7.1), read off
// between the percentiles that the result has; that of a table's mean is by the spread that its
// percentiles show. For both, n is the count divided by the number outstanding: what is in flight
// at once waits in the same queue. Rounding of the file widens all. These know nothing of drift
// between runs: more than noise is what differs by 5 % and has intervals that do not meet, wider
// ones than shown, so that a comparison of all figures of two equal systems finds something in 5 %
// of cases at most. Where the count is not known there is no interval, and 5 % alone decide. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/compare/measured_result.hpp"
#include "model/compare/workload_comparison.hpp"

namespace rigel {

struct Measured {
  double value = 0;
  std::optional<double> low;  // none: the count of I/Os is not known, or too small
  std::optional<double> high;
  bool resolved = true;  // false: too few I/Os for this percentile, which is left to chance
};

struct ResultDifference {
  std::string key;  // "iops@8", "service_time_ns.p99"
  FigureUnit unit = FigureUnit::kCount;
  Measured a;
  Measured b;
  double distance = 0;  // |a - b| as a share of the larger
  bool significant = false;
};

struct ResultComparison {
  bool same = true;
  std::vector<ResultDifference> differences;
  std::vector<std::string> missing;  // loads that only one has
};

// Throws Error when they have no load in common.
[[nodiscard]] ResultComparison compare_results(const MeasuredResult& a, const MeasuredResult& b);

}  // namespace rigel
