#include "model/compare/measured_figures.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <utility>

namespace rigel {
namespace {

constexpr double kLeastIos = 20;   // beyond a percentile that is a figure of a run
constexpr double kLeastApart = 5;  // of these, waiting apart from each other, for an interval

// I/Os that are in flight at once wait in one queue: they say about as much as one of them.
double waiting_apart(const MeasuredLoad& load) {
  return load.count / std::max(1.0, load.point.outstanding);
}

Measured counted(double value, double rounding, double count, double deviations) {
  if (count <= 0 && rounding <= 0) return {value, {}, {}, Certainty::kNoCount};
  const double noise = count > 0 ? deviations * value / std::sqrt(count) : 0;
  return {value, std::max(0.0, value - noise - rounding), value + noise + rounding};
}

Measured percentile(const PercentileTable& table, const PercentileTable::Entry& entry, double count,
                    double deviations) {
  if (count <= 0) return {entry.ns, {}, {}, Certainty::kNoCount};
  const double p = entry.share;
  const bool tail_is_known = table.entries.size() > 1;
  if (count * std::min(p, 1 - p) < kLeastApart || !tail_is_known) {
    return {entry.ns, {}, {}, Certainty::kFewIos};
  }
  using boost::math::beta_distribution;
  using boost::math::complement;
  const double tail = boost::math::cdf(complement(boost::math::normal{}, deviations));
  const double above = count * (1 - p);
  const double high = boost::math::quantile(
      complement(beta_distribution{count - above + 1, std::max(above, 1e-9)}, tail));
  const double low = boost::math::quantile(beta_distribution{count - above, above + 1}, tail);
  Measured measured{entry.ns, {}, latency_at(table, high)};
  // The median is a table's first entry: as far below as above, on the logarithmic scale.
  measured.low = low >= table.entries.front().share
                     ? latency_at(table, low)
                     : entry.ns * entry.ns / std::max(1.0, *measured.high);
  return measured;
}

// By the spread that the table shows; below its first entry latencies are taken as evenly spread.
Measured mean_of(const PercentileTable& table, double count, double deviations) {
  constexpr int kSteps = 2000;
  const bool spread_is_known = count > 0 && !table.entries.empty();
  if (!spread_is_known) return {table.mean_ns, {}, {}, Certainty::kNoCount};
  double squares = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    const double below = std::min(1.0, share / table.entries.front().share);
    const double off = latency_at(table, share) * below - table.mean_ns;
    squares += off * off / kSteps;
  }
  const double noise = deviations * std::sqrt(squares / count);
  return {table.mean_ns, std::max(0.0, table.mean_ns - noise), table.mean_ns + noise};
}

void add_table(const PercentileTable& table, const MeasuredLoad& load, double deviations,
               MeasuredFigures& figures) {
  const double count = table.count > 0 ? table.count : load.count;
  const double apart = std::min(count, waiting_apart(load));
  if (table.mean_ns > 0) {
    figures.figures.push_back(
        {table.name + ".mean", FigureUnit::kNanoseconds, mean_of(table, apart, deviations)});
  }
  for (const PercentileTable::Entry& entry : table.entries) {
    const std::string key = table.name + "." + entry.name;
    if (count > 0 && count * (1 - entry.share) < kLeastIos) {
      figures.too_few.push_back(key);
    } else {
      figures.figures.push_back(
          {key, FigureUnit::kNanoseconds, percentile(table, entry, apart, deviations)});
    }
  }
}

const MeasuredFigure* find(const MeasuredFigures& among, const std::string& key) {
  const auto found = std::find_if(among.figures.begin(), among.figures.end(),
                                  [&](const MeasuredFigure& figure) { return figure.key == key; });
  return found == among.figures.end() ? nullptr : &*found;
}

}  // namespace

MeasuredFigures figures_of(const MeasuredLoad& load, double deviations) {
  MeasuredFigures result;
  const LoadPoint& point = load.point;
  // Queues of a closed loop that wander make the variance of what is served up to twice that.
  const double events = point.outstanding > 1 ? load.count / 2 : load.count;
  const auto add = [&](const char* key, FigureUnit unit, double value, double rounding) {
    result.figures.push_back({key, unit, counted(value, rounding, events, deviations)});
  };
  if (point.iops > 0 || load.stood_still) {
    add("iops", FigureUnit::kCount, point.iops, point.iops_error);
  }
  if (point.bytes_per_second > 0 || load.stood_still) {
    add("bytes_per_second", FigureUnit::kBytesPerSecond, point.bytes_per_second, 0);
  }
  if (point.latency_ns > 0) {
    add("latency_ns", FigureUnit::kNanoseconds, point.latency_ns, point.latency_error_ns);
  }
  for (const PercentileTable& table : load.latencies) add_table(table, load, deviations, result);
  return result;
}

MeasuredFigures figures_between(const MeasuredFigures& lower, const MeasuredFigures& higher,
                                double part) {
  MeasuredFigures result;
  for (const MeasuredFigure& from : lower.figures) {
    const MeasuredFigure* to = find(higher, from.key);
    if (to == nullptr) continue;
    const Measured& a = from.measured;
    const Measured& b = to->measured;
    Measured between{a.value + part * (b.value - a.value),
                     std::min(a.low.value_or(a.value), b.low.value_or(b.value)),
                     std::max(a.high.value_or(a.value), b.high.value_or(b.value)),
                     Certainty::kBetweenLoads};
    if (a.certainty == Certainty::kFewIos || b.certainty == Certainty::kFewIos) {
      between = {between.value, {}, {}, Certainty::kFewIos};
    }
    result.figures.push_back({from.key, from.unit, between});
  }
  result.too_few = lower.too_few;
  for (const std::string& key : higher.too_few) {
    if (std::find(result.too_few.begin(), result.too_few.end(), key) == result.too_few.end()) {
      result.too_few.push_back(key);
    }
  }
  return result;
}

}  // namespace rigel
