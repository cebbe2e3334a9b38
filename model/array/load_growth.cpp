#include "model/array/load_growth.hpp"

#include <cmath>

namespace rigel {
namespace {

// Of a point's throughput: the square of its relative standard error, its I/Os coming at random.
double variance(const LoadPoint& point) {
  return point.duration_ns > 0 ? 1 / (point.iops * point.duration_ns * 1e-9) : 0;
}

}  // namespace

LoadGrowth growth_between(const LoadPoint& before, const LoadPoint& after) {
  constexpr double kStandardErrors = 4;
  LoadGrowth growth;
  growth.throughput = after.iops / before.iops;
  growth.load = after.outstanding / before.outstanding;
  growth.uncertainty = kStandardErrors * std::sqrt(variance(before) + variance(after)) +
                       after.iops_error / after.iops + before.iops_error / before.iops;
  return growth;
}

}  // namespace rigel
