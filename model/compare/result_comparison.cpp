#include "model/compare/result_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kShown = 1.959964;  // deviations of a 95 % interval
constexpr double kLeast = 0.05;      // that matters
constexpr double kLeastBeyond = 20;  // I/Os on either side of a percentile that has an interval

// Half the width of intervals that do not meet once in 20 comparisons of `figures` figures each,
// when nothing differs (Bonferroni); two of one width meet unless their middles are twice that
// apart, and that difference has the square root of two of their deviations.
double judging_deviations(std::size_t figures) {
  const double tail = 0.05 / 2 / static_cast<double>(std::max<std::size_t>(1, figures));
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal{}, tail));
  return std::max(kShown, z / std::sqrt(2.0));
}

// I/Os that are in flight at once wait in one queue: they say about as much as one of them.
double independent(double count, double outstanding) {
  return count / std::max(1.0, outstanding);
}

Measured counted(double value, double rounding, double count, double deviations) {
  if (count <= 0 && rounding <= 0) return {value, {}, {}};
  const double noise = count > 0 ? deviations * value / std::sqrt(count) : 0;
  return {value, std::max(0.0, value - noise - rounding), value + noise + rounding};
}

Measured percentile(const LatencyTable& table, const LatencyTable::Entry& entry, double count,
                    double deviations) {
  const double p = entry.share;
  if (count <= 0) return {entry.ns, {}, {}};
  if (count * std::min(p, 1 - p) < kLeastBeyond) return {entry.ns, {}, {}, false};
  const double noise = deviations * std::sqrt(p * (1 - p) / count);
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
Measured mean_of(const LatencyTable& table, double count, double deviations) {
  constexpr int kSteps = 2000;
  double squares = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double below = std::min(1.0, share / table.entries.front().share);
    const double off = latency_at(table, share) * below - table.mean_ns;
    squares += off * off / kSteps;
  }
  if (count <= 0) return {table.mean_ns, {}, {}};
  const double noise = deviations * std::sqrt(squares / count);
  return {table.mean_ns, std::max(0.0, table.mean_ns - noise), table.mean_ns + noise};
}

class Comparer {
 public:
  // With intervals of so many deviations on either side.
  explicit Comparer(double deviations) : deviations_{deviations} {}

  void add(const std::string& key, FigureUnit unit, const Measured& a, const Measured& b);
  void add_load(const MeasuredLoad& a, const MeasuredLoad& b, const std::string& suffix);
  void add_table(const LatencyTable& a, double count_a, const LatencyTable& b, double count_b,
                 const std::string& suffix);
  void add_loads(const MeasuredResult& a, const MeasuredResult& b);

  ResultComparison result;

 private:
  double deviations_;
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
  add(a.name + ".mean" + suffix, FigureUnit::kNanoseconds, mean_of(a, count_a, deviations_),
      mean_of(b, count_b, deviations_));
  for (const LatencyTable::Entry& entry : a.entries) {
    const auto found = std::find_if(b.entries.begin(), b.entries.end(),
                                    [&](const auto& other) { return other.name == entry.name; });
    if (found == b.entries.end()) continue;
    add(a.name + "." + entry.name + suffix, FigureUnit::kNanoseconds,
        percentile(a, entry, count_a, deviations_), percentile(b, *found, count_b, deviations_));
  }
}

void Comparer::add_load(const MeasuredLoad& a, const MeasuredLoad& b, const std::string& suffix) {
  const auto count = [&](double value, double rounding, const MeasuredLoad& load) {
    // Queues of a closed loop that wander make the variance of what is served up to twice that.
    const double events = load.point.outstanding > 1 ? load.count / 2 : load.count;
    return counted(value, rounding, events, deviations_);
  };
  add("iops" + suffix, FigureUnit::kCount, count(a.point.iops, a.point.iops_error, a),
      count(b.point.iops, b.point.iops_error, b));
  add("bytes_per_second" + suffix, FigureUnit::kBytes, count(a.point.bytes_per_second, 0, a),
      count(b.point.bytes_per_second, 0, b));
  if (!suffix.empty()) {
    add("latency_ns" + suffix, FigureUnit::kNanoseconds,
        count(a.point.latency_ns, a.point.latency_error_ns, a),
        count(b.point.latency_ns, b.point.latency_error_ns, b));
  }
  for (const LatencyTable& table : a.latencies) {
    for (const LatencyTable& other : b.latencies) {
      if (other.name != table.name) continue;
      add_table(table, independent(a.count, a.point.outstanding), other,
                independent(b.count, b.point.outstanding), suffix);
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

void Comparer::add_loads(const MeasuredResult& a, const MeasuredResult& b) {
  if (a.one_run && b.one_run) return add_load(a.loads.front(), b.loads.front(), "");
  for (const MeasuredLoad& load : a.loads) {
    const std::string name = load_name(load.point);
    if (const MeasuredLoad* other = find_load(b, load.point)) {
      add_load(load, *other, name);
    } else {
      result.missing.push_back(name + " (B has none)");
    }
  }
  for (const MeasuredLoad& load : b.loads) {
    if (find_load(a, load.point) == nullptr) {
      result.missing.push_back(load_name(load.point) + " (A has none)");
    }
  }
}

}  // namespace

ResultComparison compare_results(const MeasuredResult& a, const MeasuredResult& b) {
  Comparer shown{kShown};
  shown.add_loads(a, b);
  if (shown.result.differences.empty()) {
    throw Error{fmt::format("{} and {} have no load in common", a.name, b.name)};
  }
  Comparer judged{judging_deviations(shown.result.differences.size())};
  judged.add_loads(a, b);
  ResultComparison result = std::move(shown.result);
  result.same = judged.result.same;
  for (std::size_t i = 0; i < result.differences.size(); ++i) {
    result.differences[i].significant = judged.result.differences[i].significant;
  }
  return result;
}

}  // namespace rigel
