#include "model/compare/percentile_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace rigel {
namespace {

constexpr double kLastShare = 1 - 1e-12;  // whose logarithms are still finite
constexpr double kKnown = 1.05;           // the most that may lie between two bounds
constexpr double kJustBelow = 1 - 1e-9;   // less than its share takes less than a percentile

double log_tail(double share) {
  return std::log(-std::log1p(-std::min(share, kLastShare)));
}

double log_ns(double ns) {
  return std::log(std::max(ns, 1.0));
}

enum class Beyond { kLeast, kMost };

// Of all groups together, with the least or the most that can be beyond a group's entries.
double share_of_all(const std::vector<PercentileGroup>& groups, double ns, Beyond beyond) {
  double below = 0;
  double all = 0;
  for (const PercentileGroup& group : groups) {
    const auto& entries = group.latency.entries;
    double share = share_at_or_below(group.latency, ns);
    if (beyond == Beyond::kLeast && ns < entries.front().ns) share = 0;
    if (beyond == Beyond::kMost && ns < entries.front().ns) share *= kJustBelow;
    if (beyond == Beyond::kMost && ns > entries.back().ns) share = 1;
    below += group.count * share;
    all += group.count;
  }
  return below / all;
}

// The least latency that this share of all does not exceed; 0 where it may be below all entries.
double latency_of_all(const std::vector<PercentileGroup>& groups, double share, Beyond beyond) {
  constexpr int kHalvings = 60;
  constexpr double kRounding = 1e-12;
  double low = groups.front().latency.entries.front().ns;
  double high = low;
  for (const PercentileGroup& group : groups) {
    low = std::min(low, group.latency.entries.front().ns);
    high = std::max(high, group.latency.entries.back().ns);
  }
  const auto reaches = [&](double ns) {
    return share_of_all(groups, ns, beyond) >= share - kRounding;
  };
  if (reaches(0)) return 0;
  if (reaches(low)) return low;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

// Where all groups have this percentile, and it is the same.
std::optional<double> latency_in_each(const std::vector<PercentileGroup>& groups, double share) {
  std::optional<double> common;
  for (const PercentileGroup& group : groups) {
    const auto& entries = group.latency.entries;
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
      return std::abs(entry.share - share) < 1e-9;
    });
    if (found == entries.end() || (common && *common != found->ns)) return std::nullopt;
    common = found->ns;
  }
  return common;
}

std::optional<double> latency_of_all(const std::vector<PercentileGroup>& groups, double share) {
  if (const auto common = latency_in_each(groups, share)) return common;
  const double least = latency_of_all(groups, share, Beyond::kMost);
  const double most = latency_of_all(groups, share, Beyond::kLeast);
  if (most > least * kKnown) return std::nullopt;
  if (share_of_all(groups, most, Beyond::kLeast) < share * kJustBelow) return std::nullopt;
  return std::sqrt(least * most);
}

}  // namespace

double latency_at(const PercentileTable& table, double share) {
  auto after = std::find_if(table.entries.begin(), table.entries.end(),
                            [&](const auto& entry) { return entry.share >= share; });
  if (after == table.entries.begin() || table.entries.size() == 1) {
    return table.entries.front().ns;
  }
  if (after == table.entries.end()) --after;
  const auto before = after - 1;
  const double part = (log_tail(share) - log_tail(before->share)) /
                      (log_tail(after->share) - log_tail(before->share));
  return std::exp(log_ns(before->ns) + part * (log_ns(after->ns) - log_ns(before->ns)));
}

double share_at_or_below(const PercentileTable& table, double ns) {
  const auto after = std::find_if(table.entries.begin(), table.entries.end(),
                                  [&](const auto& entry) { return entry.ns > ns; });
  if (after == table.entries.end()) return table.entries.back().share;
  if (after == table.entries.begin()) return after->share;
  const auto before = after - 1;
  const double part = (log_ns(ns) - log_ns(before->ns)) / (log_ns(after->ns) - log_ns(before->ns));
  const double from = log_tail(before->share);
  return 1 - std::exp(-std::exp(from + part * (log_tail(after->share) - from)));
}

ShareBelow share_below(const PercentileTable& table, double ns) {
  const auto reached = std::find_if(table.entries.begin(), table.entries.end(),
                                    [&](const auto& entry) { return entry.ns >= ns; });
  ShareBelow share;
  if (reached != table.entries.begin()) share.least = (reached - 1)->share;
  if (reached != table.entries.end()) share.most = reached->share;
  const bool between = reached != table.entries.end() && ns >= table.entries.front().ns;
  share.likely = between ? std::clamp(share_at_or_below(table, ns), share.least, share.most)
                         : (share.least + share.most) / 2;
  return share;
}

PercentileTable pooled(std::string name, const std::vector<PercentileGroup>& groups) {
  PercentileTable table{std::move(name), 0, {}, 0};
  bool means = true;
  bool entries = true;
  for (const auto& [count, latency] : groups) {
    table.count += count;
    table.mean_ns += count * latency.mean_ns;
    means = means && latency.mean_ns > 0;
    entries = entries && !latency.entries.empty();
  }
  if (!(table.count > 0)) return table;
  table.mean_ns = means ? table.mean_ns / table.count : 0;
  if (!entries) return table;
  for (const Percentile& percentile : kPercentiles) {
    if (const auto ns = latency_of_all(groups, percentile.share)) {
      table.entries.push_back({percentile.name, percentile.share, *ns});
    }
  }
  return table;
}

std::vector<PercentileTable> by_operation(const std::vector<PercentileGroup>& reads,
                                          const std::vector<PercentileGroup>& writes) {
  if (reads.empty() || writes.empty()) return {};
  return {pooled("read_service_time_ns", reads), pooled("write_service_time_ns", writes)};
}

}  // namespace rigel
