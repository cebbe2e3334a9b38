#include "replay/orion_plan.hpp"

#include <algorithm>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kWarmUpNs = 120'000'000'000;

std::vector<std::uint32_t> with_zero(std::vector<std::uint32_t> levels) {
  levels.insert(levels.begin(), 0);
  return levels;
}

// One ladder after the other, joined where both are 0.
std::vector<OrionPoint> basic_points(const OrionPlan& plan) {
  std::vector<OrionPoint> points{{0, 0}};
  for (const std::uint32_t small : plan.small_columns) {
    if (small > 0) points.push_back({small, 0});
  }
  for (const std::uint32_t large : plan.large_columns) {
    if (large > 0) points.push_back({0, large});
  }
  return points;
}

std::vector<OrionPoint> all_points(const OrionPlan& plan) {
  std::vector<OrionPoint> points;
  for (const std::uint32_t large : plan.large_columns) {
    for (const std::uint32_t small : plan.small_columns) points.push_back({small, large});
  }
  return points;
}

}  // namespace

std::vector<std::uint32_t> orion_levels(std::uint32_t max) {
  const std::uint32_t step = std::max(1U, max / 20);
  std::vector<std::uint32_t> levels;
  for (std::uint32_t level = 1; level < step; ++level) levels.push_back(level);
  for (std::uint32_t level = step; level <= max && max > 0; level += step) levels.push_back(level);
  return levels;
}

OrionPlan plan_orion(const OrionParameters& parameters) {
  const std::uint32_t small_max =
      parameters.num_small.value_or((parameters.run == "oltp" ? 20 : 5) * parameters.num_disks);
  const std::uint32_t large_max = parameters.num_large.value_or(2 * parameters.num_disks);
  const std::vector<std::uint32_t> small = with_zero(orion_levels(small_max));
  const std::vector<std::uint32_t> large = with_zero(orion_levels(large_max));
  OrionPlan plan;
  switch (parameters.matrix) {
    case OrionMatrix::kBasic:
      plan = {small, large, {}};
      plan.points = basic_points(plan);
      return plan;
    case OrionMatrix::kDetailed:
      plan = {small, large, {}};
      break;
    case OrionMatrix::kRow:
      plan = {small, {parameters.num_large.value_or(0)}, {}};
      break;
    case OrionMatrix::kCol:
      plan = {{parameters.num_small.value_or(0)}, large, {}};
      break;
    case OrionMatrix::kPoint:
      if (!parameters.num_small || !parameters.num_large) {
        throw UsageError{"-matrix point needs -num_small and -num_large"};
      }
      [[fallthrough]];
    case OrionMatrix::kMax:
      plan = {{small_max}, {large_max}, {}};
      break;
  }
  plan.points = all_points(plan);
  return plan;
}

bool warms_cache_before(const OrionParameters& parameters, OrionPoint point) {
  return parameters.sequential && point.large > 0 && parameters.cache_bytes.value_or(1) != 0;
}

std::uint64_t estimated_minutes(const OrionParameters& parameters, const OrionPlan& plan) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  std::int64_t total = kMinute;
  for (const OrionPoint point : plan.points) {
    total += parameters.duration_ns;
    if (!parameters.cache_bytes && warms_cache_before(parameters, point)) total += kWarmUpNs;
  }
  return static_cast<std::uint64_t>((total + kMinute - 1) / kMinute);
}

}  // namespace rigel
