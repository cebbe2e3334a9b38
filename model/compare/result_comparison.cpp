#include "model/compare/result_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kDeviations = 1.959964;  // of a 95 % interval
constexpr double kLeast = 0.05;           // that matters
constexpr double kLeastBeyond = 5;  // I/Os on either side of a percentile that has an interval

Measured counted(double value, double rounding, double count) {
  if (count <= 0 && rounding <= 0) return {value, {}, {}};
  const double noise = count > 0 ? kDeviations * value / std::sqrt(count) : 0;
  return {value, std::max(0.0, value - noise - rounding), value + noise + rounding};
}

Measured percentile(const LatencyTable& table, const LatencyTable::Entry& entry, double count) {
  const double p = entry.share;
  if (count <= 0) return {entry.ns, {}, {}};
  if (count * std::min(p, 1 - p) < kLeastBeyond) return {entry.ns, {}, {}, false};
  const double noise = kDeviations * std::sqrt(p * (1 - p) / count);
  const double low = p - noise;
  const double high = p + noise;
  Measured measured{entry.ns, {}, {}};
  // Outside of what the table has nothing is known of the slope there.
  if (low >= table.entries.front().share) measured.low = latency_at(table, low);
  if (high <= table.entries.back().share) measured.high = latency_at(table, high);
  // The median is a table's first entry: as far below as above, on the logarithmic scale.
  if (!measured.low && measured.high && *measured.high > 0) {
    measured.low = entry.ns * entry.ns / *measured.high;
  }
  if (measured.low && !measured.high)
    measured.high = entry.ns * entry.ns / std::max(1.0, *measured.low);
  return measured;
}

// By the spread that the table shows; below its first entry latencies are taken as evenly spread.
Measured mean_of(const LatencyTable& table, double count) {
  constexpr int kSteps = 2000;
  double squares = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double below = std::min(1.0, share / table.entries.front().share);
    const double off = latency_at(table, share) * below - table.mean_ns;
    squares += off * off / kSteps;
  }
  if (count <= 0) return {table.mean_ns, {}, {}};
  const double noise = kDeviations * std::sqrt(squares / count);
  return {table.mean_ns, std::max(0.0, table.mean_ns - noise), table.mean_ns + noise};
}

class Comparer {
 public:
  void add(const std::string& key, FigureUnit unit, const Measured& a, const Measured& b);
  void add_load(const MeasuredLoad& a, const MeasuredLoad& b, const std::string& suffix);
  void add_table(const LatencyTable& a, double count_a, const LatencyTable& b, double count_b,
                 const std::string& suffix);

  ResultComparison result;
};

void Comparer::add(const std::string& key, FigureUnit unit, const Measured& a, const Measured& b) {
  if (a.value <= 0 || b.value <= 0) return;  // not known
  ResultDifference difference{key, unit, a, b, 0, false};
  difference.distance = std::abs(a.value - b.value) / std::max(a.value, b.value);
  const auto above = [](const Measured& high, const Measured& low) {
    return high.low.value_or(high.value) > low.high.value_or(low.value);
  };
  difference.significant =
      difference.distance >= kLeast && a.resolved && b.resolved && (above(a, b) || above(b, a));
  result.same = result.same && !difference.significant;
  result.differences.push_back(std::move(difference));
}

void Comparer::add_table(const LatencyTable& a, double count_a, const LatencyTable& b,
                         double count_b, const std::string& suffix) {
  add(a.name + ".mean" + suffix, FigureUnit::kNanoseconds, mean_of(a, count_a),
      mean_of(b, count_b));
  for (const LatencyTable::Entry& entry : a.entries) {
    const auto found = std::find_if(b.entries.begin(), b.entries.end(),
                                    [&](const auto& other) { return other.name == entry.name; });
    if (found == b.entries.end()) continue;
    add(a.name + "." + entry.name + suffix, FigureUnit::kNanoseconds, percentile(a, entry, count_a),
        percentile(b, *found, count_b));
  }
}

void Comparer::add_load(const MeasuredLoad& a, const MeasuredLoad& b, const std::string& suffix) {
  add("iops" + suffix, FigureUnit::kCount, counted(a.point.iops, a.point.iops_error, a.count),
      counted(b.point.iops, b.point.iops_error, b.count));
  add("bytes_per_second" + suffix, FigureUnit::kBytes,
      counted(a.point.bytes_per_second, 0, a.count), counted(b.point.bytes_per_second, 0, b.count));
  if (!suffix.empty()) {
    add("latency_ns" + suffix, FigureUnit::kNanoseconds,
        counted(a.point.latency_ns, a.point.latency_error_ns, a.count),
        counted(b.point.latency_ns, b.point.latency_error_ns, b.count));
  }
  for (const LatencyTable& table : a.latencies) {
    for (const LatencyTable& other : b.latencies) {
      if (other.name == table.name) add_table(table, a.count, other, b.count, suffix);
    }
  }
}

std::string load_name(const LoadPoint& point) {
  if (point.outstanding_large == 0) return fmt::format("@{:g}", point.outstanding);
  return fmt::format("@{:g}+{:g}", point.outstanding, point.outstanding_large);
}

const MeasuredLoad* find_load(const MeasuredResult& result, const LoadPoint& point) {
  for (const MeasuredLoad& load : result.loads) {
    if (load.point.outstanding == point.outstanding &&
        load.point.outstanding_large == point.outstanding_large) {
      return &load;
    }
  }
  return nullptr;
}

}  // namespace

ResultComparison compare_results(const MeasuredResult& a, const MeasuredResult& b) {
  Comparer comparer;
  if (a.one_run && b.one_run) {
    comparer.add_load(a.loads.front(), b.loads.front(), "");
    return std::move(comparer.result);
  }
  for (const MeasuredLoad& load : a.loads) {
    const std::string name = load_name(load.point);
    if (const MeasuredLoad* other = find_load(b, load.point)) {
      comparer.add_load(load, *other, name);
    } else {
      comparer.result.missing.push_back(name + " (B has none)");
    }
  }
  if (comparer.result.differences.empty()) {
    throw Error{fmt::format("{} and {} have no load in common", a.name, b.name)};
  }
  for (const MeasuredLoad& load : b.loads) {
    if (find_load(a, load.point) == nullptr) {
      comparer.result.missing.push_back(load_name(load.point) + " (A has none)");
    }
  }
  return std::move(comparer.result);
}

}  // namespace rigel
