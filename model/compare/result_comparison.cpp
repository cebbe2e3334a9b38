#include "model/compare/result_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kShown = 1.959964;      // deviations of a 95 % interval
constexpr double kLeast = 0.05;          // that matters
constexpr double kLeastMishaps = 0.001;  // of the I/Os

// Half the width of intervals that do not meet once in 20 comparisons of `figures` figures each,
// when nothing differs (Bonferroni); two of one width meet unless their middles are twice that
// apart, and that difference has the square root of two of their deviations.
double judging_deviations(std::size_t figures) {
  const double tail = 0.05 / 2 / static_cast<double>(std::max<std::size_t>(1, figures));
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal{}, tail));
  return std::max(kShown, z / std::sqrt(2.0));
}

bool apart(const Measured& a, const Measured& b) {
  const auto above = [](const Measured& high, const Measured& low) {
    return high.low.value_or(high.value) > low.high.value_or(low.value);
  };
  return above(a, b) || above(b, a);
}

ResultVerdict verdict_on(const ResultDifference& difference, double least) {
  if (difference.distance == 0) return ResultVerdict::kSame;
  if (difference.distance < least) return ResultVerdict::kSmall;
  const auto either = [&](Certainty certainty) {
    return difference.a.certainty == certainty || difference.b.certainty == certainty;
  };
  if (either(Certainty::kFewIos)) return ResultVerdict::kTooFew;
  if (apart(difference.a, difference.b)) return ResultVerdict::kDifferent;
  return either(Certainty::kBetweenLoads) ? ResultVerdict::kBetweenLoads : ResultVerdict::kNoise;
}

// A curve's figures by the number outstanding, of one number of large I/Os beside.
using Curve = std::map<double, MeasuredFigures>;

// The figures at this load; none outside of the curve.
std::optional<MeasuredFigures> figures_at(const Curve& curve, double outstanding) {
  const auto higher = curve.lower_bound(outstanding);
  if (higher == curve.end()) return std::nullopt;
  if (higher->first == outstanding) return higher->second;
  if (higher == curve.begin()) return std::nullopt;
  const auto lower = std::prev(higher);
  return figures_between(lower->second, higher->second,
                         (outstanding - lower->first) / (higher->first - lower->first));
}

std::string load_name(double outstanding, double large) {
  return large == 0 ? fmt::format("@{:g}", outstanding)
                    : fmt::format("@{:g}+{:g}", outstanding, large);
}

class Comparer {
 public:
  // With intervals of so many deviations on either side.
  explicit Comparer(double deviations) : deviations_{deviations} {}
  void run(const MeasuredResult& a, const MeasuredResult& b);

  ResultComparison result;

 private:
  void add(const std::string& key, FigureUnit unit, const Measured& a, const Measured& b);
  void add_figures(const MeasuredFigures& a, const MeasuredFigures& b, const std::string& suffix);
  void add_missing(const MeasuredFigures& of, const MeasuredFigures& other,
                   const std::string& suffix, const char* without);
  void add_curves(const Curve& a, const Curve& b, double large);
  void add_mishaps(const MeasuredResult& a, const MeasuredResult& b);
  // By the number of large I/Os beside. `as_service`: latencies are named as a replay's are.
  [[nodiscard]] std::map<double, Curve> curves_of(const MeasuredResult& of, bool as_service) const;

  double deviations_;
};

void Comparer::add(const std::string& key, FigureUnit unit, const Measured& a, const Measured& b) {
  ResultDifference difference{key, unit, a, b, std::abs(a.value - b.value), {}};
  const bool share = unit == FigureUnit::kShare;
  if (!share && difference.distance > 0) difference.distance /= std::max(a.value, b.value);
  difference.verdict = verdict_on(difference, share ? kLeastMishaps : kLeast);
  result.same = result.same && !difference.significant();
  result.differences.push_back(std::move(difference));
}

std::string table_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

void Comparer::add_missing(const MeasuredFigures& of, const MeasuredFigures& other,
                           const std::string& suffix, const char* without) {
  std::set<std::string> keys;
  std::set<std::string> tables;
  for (const MeasuredFigure& figure : other.figures) {
    keys.insert(figure.key);
    tables.insert(table_of(figure.key));
  }
  for (const std::string& key : other.too_few) keys.insert(key);
  std::set<std::string> named;
  for (const MeasuredFigure& figure : of.figures) {
    if (keys.count(figure.key) != 0) continue;
    const std::string table = table_of(figure.key);
    const std::string& name = tables.count(table) != 0 ? figure.key : table;
    if (named.insert(name).second) {
      result.missing.push_back(fmt::format("{}{} ({} has none)", name, suffix, without));
    }
  }
}

void Comparer::add_figures(const MeasuredFigures& a, const MeasuredFigures& b,
                           const std::string& suffix) {
  for (const MeasuredFigure& figure : a.figures) {
    const auto other =
        std::find_if(b.figures.begin(), b.figures.end(),
                     [&](const MeasuredFigure& candidate) { return candidate.key == figure.key; });
    if (other != b.figures.end()) {
      add(figure.key + suffix, figure.unit, figure.measured, other->measured);
    }
  }
  add_missing(a, b, suffix, "B");
  add_missing(b, a, suffix, "A");
  std::set<std::string> too_few{a.too_few.begin(), a.too_few.end()};
  too_few.insert(b.too_few.begin(), b.too_few.end());
  for (const std::string& key : too_few) {
    result.missing.push_back(fmt::format("{}{} (too few I/Os beyond it)", key, suffix));
  }
}

std::map<double, Curve> Comparer::curves_of(const MeasuredResult& of, bool as_service) const {
  std::map<double, Curve> curves;
  for (const MeasuredLoad& load : of.loads) {
    MeasuredFigures figures = figures_of(load, deviations_);
    const auto rename = [&](std::string& key) {
      for (const std::string_view table : {"small_service_time_ns.", "latency_distribution_ns."}) {
        if (key.starts_with(table)) key = "service_time_ns." + key.substr(table.size());
      }
    };
    if (as_service) {
      for (MeasuredFigure& figure : figures.figures) rename(figure.key);
      for (std::string& key : figures.too_few) rename(key);
    }
    double outstanding = load.point.outstanding;
    if (of.one_run) {  // three digits, as it is named
      outstanding = std::stod(fmt::format("{:.3g}", outstanding));
      if (outstanding == 0) continue;  // not known
    }
    curves[load.point.outstanding_large].emplace(outstanding, std::move(figures));
  }
  return curves;
}

void Comparer::add_curves(const Curve& a, const Curve& b, double large) {
  std::set<double> loads;
  for (const auto& entry : a) loads.insert(entry.first);
  for (const auto& entry : b) loads.insert(entry.first);
  std::map<char, std::string> outside;
  for (const double load : loads) {
    const std::optional<MeasuredFigures> of_a = figures_at(a, load);
    const std::optional<MeasuredFigures> of_b = figures_at(b, load);
    const std::string name = load_name(load, large);
    if (of_a && of_b) {
      add_figures(*of_a, *of_b, name);
    } else {
      std::string& names = outside[of_a ? 'B' : 'A'];
      names += (names.empty() ? "" : ", ") + name;
    }
  }
  for (const auto& [side, names] : outside) {
    result.missing.push_back(fmt::format("{} (outside of the loads of {})", names, side));
  }
}

void Comparer::add_mishaps(const MeasuredResult& a, const MeasuredResult& b) {
  if (a.faithful && b.faithful) {
    const Measured yes{1, 1.0, 1.0};
    const Measured no{0, 0.0, 0.0};
    add("faithful", FigureUnit::kShare, *a.faithful ? yes : no, *b.faithful ? yes : no);
  }
  if (!a.mishaps || !b.mishaps) return;
  std::set<std::string> keys;
  for (const auto& entry : *a.mishaps) keys.insert(entry.first);
  for (const auto& entry : *b.mishaps) keys.insert(entry.first);
  // Counts as of a Poisson process; none of none says that less than one is expected.
  const auto share = [&](const MeasuredResult& of, const std::string& key) {
    const auto found = of.mishaps->find(key);
    if (found == of.mishaps->end() || found->second.of == 0) return Measured{0, 0.0, 0.0};
    const auto& [count, all, counted_all] = found->second;
    const double noise = counted_all ? 0 : deviations_ * std::sqrt(std::max(1.0, count));
    return Measured{count / all, std::max(0.0, count - noise) / all,
                    std::min(1.0, (count + noise) / all)};
  };
  for (const std::string& key : keys) {
    const Measured of_a = share(a, key);
    const Measured of_b = share(b, key);
    if (of_a.value > 0 || of_b.value > 0) add(key, FigureUnit::kShare, of_a, of_b);
  }
}

void Comparer::run(const MeasuredResult& a, const MeasuredResult& b) {
  add_mishaps(a, b);
  if (a.one_run && b.one_run) {
    const auto figures = [&](const MeasuredResult& of) {
      MeasuredFigures all = figures_of(of.loads.front(), deviations_);
      std::erase_if(all.figures, [](const auto& figure) { return figure.key == "latency_ns"; });
      return all;  // the mean of its service times says the same
    };
    return add_figures(figures(a), figures(b), "");
  }
  const bool mixed = a.one_run != b.one_run;
  const std::map<double, Curve> curves_a = curves_of(a, mixed);
  const std::map<double, Curve> curves_b = curves_of(b, mixed);
  std::set<double> larges;
  for (const auto& entry : curves_a) larges.insert(entry.first);
  for (const auto& entry : curves_b) larges.insert(entry.first);
  const auto curve = [](const std::map<double, Curve>& curves, double large) {
    const auto found = curves.find(large);
    return found == curves.end() ? Curve{} : found->second;
  };
  for (const double large : larges)
    add_curves(curve(curves_a, large), curve(curves_b, large), large);
}

std::string loads_of(const MeasuredResult& result) {
  const auto [least, most] = std::minmax_element(result.loads.begin(), result.loads.end(),
                                                 [](const MeasuredLoad& x, const MeasuredLoad& y) {
                                                   return x.point.outstanding < y.point.outstanding;
                                                 });
  const double low = least->point.outstanding;
  const double high = most->point.outstanding;
  if (high == 0) return result.name + " does not say how many I/Os were outstanding";
  return low == high ? fmt::format("{} has {:.3g} I/Os outstanding", result.name, low)
                     : fmt::format("{} has {:g} to {:g}", result.name, low, high);
}

}  // namespace

std::string_view words_of(ResultVerdict verdict) {
  switch (verdict) {
    case ResultVerdict::kSame:
      return "the same";
    case ResultVerdict::kSmall:
      return "too little to matter";
    case ResultVerdict::kNoise:
      return "noise";
    case ResultVerdict::kTooFew:
      return "too few I/Os to tell";
    case ResultVerdict::kBetweenLoads:
      return "not to be told between loads";
    case ResultVerdict::kDifferent:
      break;
  }
  return "DIFFERENT";
}

ResultComparison compare_results(const MeasuredResult& a, const MeasuredResult& b) {
  Comparer shown{kShown};
  shown.run(a, b);
  if (shown.result.differences.empty()) {
    throw Error{fmt::format("{} and {} have no load in common: {}, {}", a.name, b.name, loads_of(a),
                            loads_of(b))};
  }
  Comparer judged{judging_deviations(shown.result.differences.size())};
  judged.run(a, b);
  ResultComparison result = std::move(shown.result);
  result.same = judged.result.same;
  for (std::size_t i = 0; i < result.differences.size(); ++i) {
    result.differences[i].verdict = judged.result.differences[i].verdict;
  }
  return result;
}

}  // namespace rigel
