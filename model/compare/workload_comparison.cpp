#include "model/compare/workload_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "model/compare/difference_words.hpp"

namespace rigel {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kNever = std::numeric_limits<double>::infinity();

constexpr std::string_view kReuse = "reuse";  // a family
constexpr std::string_view kFootprint = "footprint_bytes";
constexpr std::string_view kHotSpots = "hot_spots";
constexpr std::array kRules{
    FigureRule{"op_mix", "mix", FigureUnit::kShare, 0.02, kNever},
    FigureRule{"read_bytes", "read sizes", FigureUnit::kBytes, 0.05, 0.1},
    FigureRule{"write_bytes", "write sizes", FigureUnit::kBytes, 0.05, 0.1},
    FigureRule{"read_sequential", "sequentiality", FigureUnit::kShare, 0.05, kNever},
    FigureRule{"write_sequential", "sequentiality", FigureUnit::kShare, 0.05, kNever},
    FigureRule{"interarrival_ns", "timing", FigureUnit::kNanoseconds, 0.05, 0.1},
    FigureRule{"arrivals_per_100ms", "timing", FigureUnit::kCount, 0.05, 0.1},
    FigureRule{"unevenness", "bursts", FigureUnit::kShare, 0.05, 0.1},
    FigureRule{"queue_depth", "depth", FigureUnit::kCount, 0.05, 0.1},
    FigureRule{"read_reuse", kReuse, FigureUnit::kShare, 0.03, kNever},
    FigureRule{"write_reuse", kReuse, FigureUnit::kShare, 0.03, kNever},
    FigureRule{"read_latency_ns", "latency", FigureUnit::kNanoseconds, 0.05, 0.1},
    FigureRule{"write_latency_ns", "latency", FigureUnit::kNanoseconds, 0.05, 0.1},
    FigureRule{kFootprint, "footprint", FigureUnit::kBytes, 0.05, kNever},
    FigureRule{kHotSpots, "hot spots", FigureUnit::kShare, 0.05, kNever},
    FigureRule{"latency_ns.", "latency", FigureUnit::kNanoseconds, 0.05, 0.1},
};

// Blocks of both traces, for what has to be told of one beginning.
constexpr std::size_t kLeastCommonBlocks = 16;

// What of both covers the same number of requests, in as many blocks.
struct Common {
  const PageHeatSnapshot* a = nullptr;
  const PageHeatSnapshot* b = nullptr;
  std::array<BlockedSamples, 2> reuse_a;  // of reads, of writes
  std::array<BlockedSamples, 2> reuse_b;
  std::uint64_t records = 0;
};

// Blocks of the profile that end with this many records; 0 when none does.
std::size_t blocks_until(const WorkloadProfile& profile, std::uint64_t records) {
  for (std::size_t i = 0; i < profile.places.size(); ++i) {
    if (profile.places[i].records == records) return i + 1;
  }
  return 0;
}

std::optional<Common> common_part(const WorkloadProfile& a, const WorkloadProfile& b) {
  const std::uint64_t least = std::min(a.records, b.records);
  const std::uint64_t step = std::max(a.block_records, b.block_records);
  for (const std::uint64_t records : {least, least / step * step}) {
    const std::size_t blocks_a = blocks_until(a, records);
    const std::size_t blocks_b = blocks_until(b, records);
    if (std::min(blocks_a, blocks_b) < kLeastCommonBlocks) continue;
    const auto reuse = [&](const WorkloadProfile& of, std::size_t blocks) {
      std::array both{of.of(Figure::kReadReuse).first_blocks(blocks),
                      of.of(Figure::kWriteReuse).first_blocks(blocks)};
      for (std::uint64_t size = of.block_records; size < step; size *= 2) {
        for (BlockedSamples& samples : both) samples.merge_pairs();
      }
      return both;
    };
    return Common{&a.places[blocks_a - 1].heat, &b.places[blocks_b - 1].heat, reuse(a, blocks_a),
                  reuse(b, blocks_b), records};
  }
  const std::size_t beginnings = std::min(a.beginnings.size(), b.beginnings.size());
  if (beginnings == 0) return std::nullopt;
  // Of as many requests, blocks are of as many.
  const auto& of_a = a.beginnings[beginnings - 1];
  const auto& of_b = b.beginnings[beginnings - 1];
  return Common{&of_a.place.heat, &of_b.place.heat, of_a.reuse, of_b.reuse, of_a.place.records};
}

Difference begin_difference(const FigureRule& rule) {
  Difference difference;
  difference.key = rule.key;
  difference.family = rule.family;
  difference.unit = rule.unit;
  return difference;
}

// The share of observations in bin 0: reads of kOp, first touches of reuse are at the other end.
double share_of_zero(const BlockedSamples& samples) {
  const std::vector<double> histogram = samples.histogram();
  return histogram.empty() ? 0 : histogram.front() / samples.count();
}

double figure_of(const FigureRule& rule, const BlockedSamples& samples) {
  if (rule.key == "op_mix") return share_of_zero(samples);
  if (rule.family == kReuse) return 1 - samples.infinite() / samples.count();
  if (rule.key == "unevenness") return samples.mean() / 1000;
  return samples.mean();
}

// None when there are too few observations.
std::optional<Difference> compare_samples(const FigureRule& rule, const BlockedSamples& a,
                                          const BlockedSamples& b, double infinite_at) {
  Difference difference = begin_difference(rule);
  difference.a = figure_of(rule, a);
  difference.b = figure_of(rule, b);
  const double larger = std::max(a.mean(), b.mean());
  const bool categories = rule.key == "op_mix";
  const double least_wasserstein = larger > 0 ? rule.least_wasserstein * larger : kNever;
  const DistributionDistance found =
      distance_between(a, b,
                       {.scale = categories ? Scale::kCategories : Scale::kOrdered,
                        .infinite_at = infinite_at,
                        .relevant_shape = rule.least_distance,
                        .relevant_wasserstein = least_wasserstein,
                        .paired = rule.family == kReuse});
  if (!found.told) return std::nullopt;
  difference.distance = found.shape.value;
  difference.low = found.shape.low;
  difference.high = found.shape.high;
  difference.p = found.shape.p;
  if (!categories) {
    difference.p_if_independent = found.p_if_independent;
    // Counted in thousandths, told as a share. Of reuse it would be of pages, some infinitely far.
    const double unit = rule.key == "unevenness" ? 1e-3 : 1;
    const DistanceEstimate& shift = found.wasserstein;
    if (rule.family != kReuse) {
      difference.wasserstein =
          DistanceEstimate{shift.value * unit, shift.low * unit, shift.high * unit, shift.p};
    }
  }
  // Two tests of one figure: the smaller p counts twice (Bonferroni).
  const double tests = rule.least_wasserstein == kNever ? 1 : 2;
  const bool shape_matters = found.shape.value >= rule.least_distance;
  const bool shift_matters = found.wasserstein.value >= least_wasserstein;
  difference.matters = shape_matters || shift_matters;
  if (difference.matters) {
    difference.p = std::min({1.0, shape_matters ? tests * found.shape.p : 1,
                             shift_matters ? tests * found.wasserstein.p : 1});
  }
  return difference;
}

double jackknife_variance(std::span<const double> leave_out) {
  double mean = 0;
  for (const double value : leave_out) mean += value / static_cast<double>(leave_out.size());
  double squares = 0;
  for (const double value : leave_out) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(leave_out.size());
  return squares * (n - 1) / n;
}

// Of a difference with this variance, two-sided, by Student's t.
void judge_by_variance(Difference& difference, double value, double variance, double freedom,
                       double least) {
  const boost::math::students_t student{freedom};
  const double error = std::sqrt(variance);
  const double bound = error * boost::math::quantile(student, 0.975);
  difference.distance = std::abs(value);
  difference.low = std::max(0.0, difference.distance - bound);
  difference.high = std::min(1.0, difference.distance + bound);
  if (difference.distance > 0) {
    difference.p =
        error > 0
            ? 2 * boost::math::cdf(boost::math::complement(student, difference.distance / error))
            : 0;
  }
  difference.matters = difference.distance >= least;
}

// Pages touched for the first time, by block.
std::vector<double> first_touches(const std::array<BlockedSamples, 2>& reuse) {
  std::vector<double> touches(std::max(reuse[0].blocks().size(), reuse[1].blocks().size()));
  for (const BlockedSamples& samples : reuse) {
    for (std::size_t block = 0; block < samples.blocks().size(); ++block) {
      const std::vector<double>& bins = samples.blocks()[block];
      if (BlockedSamples::kInfinite < bins.size())
        touches[block] += bins[BlockedSamples::kInfinite];
    }
  }
  return touches;
}

// The variance of the difference of two sums over the same blocks.
double variance_of_difference(std::vector<double> a, std::vector<double> b) {
  const std::size_t blocks = std::max(a.size(), b.size());
  a.resize(blocks);
  b.resize(blocks);
  double mean = 0;
  for (std::size_t i = 0; i < blocks; ++i) mean += (a[i] - b[i]) / static_cast<double>(blocks);
  double squares = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
  }
  const auto n = static_cast<double>(blocks);
  return squares * n / (n - 1);
}

Difference compare_footprints(const FigureRule& rule, const Common& common, double page_bytes) {
  Difference difference = begin_difference(rule);
  const double a = common.a->distinct_pages;
  const double b = common.b->distinct_pages;
  difference.a = a * page_bytes;
  difference.b = b * page_bytes;
  const double larger = std::max(a, b);
  const std::vector<double> touches_a = first_touches(common.reuse_a);
  const std::vector<double> touches_b = first_touches(common.reuse_b);
  const auto blocks = static_cast<double>(std::max(touches_a.size(), touches_b.size()));
  const double variance = variance_of_difference(touches_a, touches_b);
  judge_by_variance(difference, (a - b) / larger, variance / (larger * larger), blocks - 1,
                    rule.least_distance);
  return difference;
}

Difference compare_hot_spots(const FigureRule& rule, const PageHeatSnapshot& a,
                             const PageHeatSnapshot& b) {
  Difference difference = begin_difference(rule);
  const auto tenth =
      static_cast<std::size_t>(std::find(kTops.begin(), kTops.end(), 0.1) - kTops.begin());
  difference.a = a.top_shares[tenth];
  difference.b = b.top_shares[tenth];
  std::size_t widest = 0;
  const auto gap = [&](std::size_t i) { return std::abs(a.top_shares[i] - b.top_shares[i]); };
  for (std::size_t i = 1; i < kTops.size(); ++i) {
    if (gap(i) > gap(widest)) widest = i;
  }
  const auto variance_of = [&](const PageHeatSnapshot& heat) {
    std::array<double, PageHeatSnapshot::kGroups> shares{};
    for (std::size_t g = 0; g < shares.size(); ++g) {
      shares[g] = heat.top_shares_leave_out[g][widest];
    }
    return jackknife_variance(shares);
  };
  judge_by_variance(difference, gap(widest), variance_of(a) + variance_of(b),
                    PageHeatSnapshot::kGroups - 1.0, rule.least_distance);
  return difference;
}

// Holm's step-down test over all figures.
void judge(WorkloadComparison& comparison) {
  std::vector<Difference*> by_p;
  for (Difference& difference : comparison.differences) {
    difference.beyond_chance = difference.p <= kSignificance;
    if (difference.matters) by_p.push_back(&difference);
  }
  std::sort(by_p.begin(), by_p.end(),
            [](const Difference* x, const Difference* y) { return x->p < y->p; });
  // What does not matter counts as a test as well.
  std::size_t left = comparison.differences.size();
  for (Difference* difference : by_p) {
    if (difference->p * static_cast<double>(left--) > kSignificance) break;
    difference->significant = true;
    comparison.same = false;
  }
}

class Comparer {
 public:
  Comparer(const WorkloadProfile& a, const WorkloadProfile& b) : a_{a}, b_{b} {}
  [[nodiscard]] WorkloadComparison run();

 private:
  void add_samples(const FigureRule& rule, const BlockedSamples& a, const BlockedSamples& b,
                   double infinite_at = 0);
  void add_pages(const Common& common);
  void add_roles();

  const WorkloadProfile& a_;
  const WorkloadProfile& b_;
  WorkloadComparison result_;
};

void Comparer::add_samples(const FigureRule& rule, const BlockedSamples& a, const BlockedSamples& b,
                           double infinite_at) {
  if (a.count() == 0 && b.count() == 0) return;
  if (a.count() == 0 || b.count() == 0) {
    result_.missing.push_back(std::string{rule.key} +
                              (a.count() == 0 ? " (A has none)" : " (B has none)"));
    return;
  }
  std::optional<Difference> difference = compare_samples(rule, a, b, infinite_at);
  if (!difference) {
    result_.missing.push_back(
        fmt::format("{} (too few: {:.0f} in A, {:.0f} in B)", rule.key, a.count(), b.count()));
    return;
  }
  difference->words = difference_words(*difference, a, b, a_.page_bytes);
  result_.differences.push_back(*std::move(difference));
}

void Comparer::add_pages(const Common& common) {
  result_.place_records = common.records;
  const PageHeatSnapshot& a = *common.a;
  const PageHeatSnapshot& b = *common.b;
  if (a.distinct_pages == 0 || b.distinct_pages == 0) return;
  for (const FigureRule& rule : kRules) {
    if (rule.key == kFootprint) {
      result_.differences.push_back(compare_footprints(rule, common, a_.page_bytes));
    } else if (rule.key == kHotSpots) {
      result_.differences.push_back(compare_hot_spots(rule, a, b));
    } else {
      continue;
    }
    result_.differences.back().words = place_words(result_.differences.back(), a, b);
  }
}

void Comparer::add_roles() {
  std::set<std::string> roles;
  for (const auto& entry : a_.role_latency) roles.insert(entry.first);
  for (const auto& entry : b_.role_latency) roles.insert(entry.first);
  const BlockedSamples none;
  for (const std::string& role : roles) {
    const auto of = [&](const WorkloadProfile& profile) -> const BlockedSamples& {
      const auto found = profile.role_latency.find(role);
      return found == profile.role_latency.end() ? none : found->second;
    };
    const std::string key = std::string{kRules.back().key} + role;
    FigureRule rule = kRules.back();
    rule.key = key;
    add_samples(rule, of(a_), of(b_));
  }
}

WorkloadComparison Comparer::run() {
  const std::optional<Common> common = common_part(a_, b_);
  result_.too_short = std::min(a_.places.size(), b_.places.size()) < kLeastBlocks;
  for (std::size_t i = 0; i < kFigureCount; ++i) {
    const auto figure = static_cast<Figure>(i);
    if (kRules[i].family != kReuse) {
      add_samples(kRules[i], a_.figures[i], b_.figures[i]);
    } else if (common) {
      const std::size_t op = figure == Figure::kReadReuse ? 0 : 1;
      add_samples(kRules[i], common->reuse_a[op], common->reuse_b[op],
                  std::max(common->a->distinct_pages, common->b->distinct_pages));
    }
  }
  if (common) {
    add_pages(*common);
  } else {
    result_.missing.emplace_back(
        "read_reuse, write_reuse, footprint_bytes, hot_spots (one trace is too short)");
  }
  add_roles();
  judge(result_);
  return std::move(result_);
}

}  // namespace

std::span<const FigureRule> figure_rules() {
  return kRules;
}

WorkloadComparison compare_workloads(const WorkloadProfile& a, const WorkloadProfile& b) {
  return Comparer{a, b}.run();
}

std::vector<const Difference*> most_important(const WorkloadComparison& comparison,
                                              std::size_t most) {
  std::vector<const Difference*> found;
  for (const Difference& difference : comparison.differences) {
    if (difference.significant) found.push_back(&difference);
  }
  std::stable_sort(found.begin(), found.end(), [](const Difference* x, const Difference* y) {
    return x->distance > y->distance;
  });
  std::set<std::string_view> families;
  std::erase_if(found, [&](const Difference* d) { return !families.insert(d->family).second; });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace rigel
