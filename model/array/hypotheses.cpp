#include "model/array/hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/array/analytic.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr double kFits = 0.05;     // hit ratios this near are the same, for what averages can say
constexpr double kRefutes = 0.20;  // and this far apart they are not
// Beside a change that it leaves unexplained a hypothesis must fit better: what limits hits under
// load is not known to more than this.
constexpr double kRefutesBesideChange = 0.10;
constexpr double kHostHitNs = 20'000;  // a read answered by the host's own memory
constexpr double kGrowthSlack = 1.05;
constexpr double kNotCalledFor = 0.05;  // likelihood of what explains no more than uniform reads do

using HitRatios = std::vector<double>;
using Points = std::vector<PointEvidence>;

// How far a hypothesis' hit ratios are from what the points imply.
struct Misfit {
  double worst = 0;
  double at = 0;  // outstanding
  double predicted = 0;
  double implied = 0;
  bool leaves_change = false;  // a growth beyond the load that the hit ratios do not provide for
};

Misfit misfit_of(const Points& points, const ArrayClaim& claim, const HitRatios& hits) {
  Misfit misfit;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointEvidence& e = points[i];
    const double off = std::max({0.0, e.implied_low - hits[i], hits[i] - e.implied_high});
    if (off > misfit.worst) {
      misfit.worst = off;
      misfit.at = e.point.outstanding;
      misfit.predicted = hits[i];
      misfit.implied = e.implied;
    }
    if (i < 2 || !e.growth.is_faster_than_load(0)) continue;
    const double before = points[i - 1].point.outstanding;
    const double grows = closed_throughput(claim, e.point.outstanding, hits[i], 1, 0) /
                         closed_throughput(claim, before, hits[i - 1], 1, 0);
    if (e.growth.throughput > grows * kGrowthSlack) misfit.leaves_change = true;
  }
  return misfit;
}

double likelihood_of(const Misfit& misfit) {
  const double in_doubts = misfit.worst / kFits;
  return std::exp(-0.5 * in_doubts * in_doubts) * (misfit.leaves_change ? 0.1 : 1);
}

Hypothesis judge(const char* name, const Misfit& misfit, const std::string& meaning,
                 const char* settled_by) {
  Hypothesis h{name, HypothesisVerdict::kConsistent, likelihood_of(misfit), meaning, settled_by};
  if (misfit.worst > kFits) {
    h.why += fmt::format(
        "; at {:g} outstanding that would be {:.0f} % of hits, the measured "
        "throughput is that of {:.0f} %",
        misfit.at, 100 * misfit.predicted, 100 * misfit.implied);
  }
  if (misfit.leaves_change) h.why += "; leaves the growth beyond the load unexplained";
  if (misfit.worst > kRefutes || (misfit.leaves_change && misfit.worst > kRefutesBesideChange)) {
    h.verdict = HypothesisVerdict::kRefuted;
    h.likelihood = 0;
  } else if (misfit.worst > kFits || misfit.leaves_change) {
    h.verdict = HypothesisVerdict::kUndecided;
  }
  return h;
}

HitRatios for_each_point(const Points& points,
                         const std::function<double(const PointEvidence&)>& hit_ratio) {
  HitRatios hits;
  for (const PointEvidence& e : points) hits.push_back(hit_ratio(e));
  return hits;
}

// The parameter between `low` and `high`, by powers, whose hit ratios fit best; of equals the
// largest.
double best_fit(double low, double high, const Points& points, const ArrayClaim& claim,
                const std::function<HitRatios(double)>& hits) {
  constexpr int kSteps = 120;
  double best = high;
  double least = INFINITY;
  for (int i = kSteps; i >= 0; --i) {
    const double value = low * std::pow(high / low, static_cast<double>(i) / kSteps);
    const Misfit misfit = misfit_of(points, claim, hits(value));
    const double cost = misfit.worst + (misfit.leaves_change ? 0.01 : 0);
    if (cost >= least) continue;
    least = cost;
    best = value;
  }
  return best;
}

Hypothesis uniform(const Points& points, const ArrayClaim& claim) {
  const HitRatios hits = for_each_point(points, [](const PointEvidence& e) { return e.expected; });
  return judge("independent uniform reads over the whole span", misfit_of(points, claim, hits),
               fmt::format("the cache would have answered {:.1f} % by the end, {:.1f} % at most",
                           100 * hits.back(), 100 * points.back().expected_most),
               "a recording: chi-square of the offsets, their serial correlation, distinct pages");
}

// Each point repeats from its beginning what the longest point before it had read; when an earlier
// run did the same, that includes all that this run ever reads.
HitRatios restarted_hits(const Points& points, const ArrayClaim& claim, bool after_earlier_run) {
  const double held = claim.cache_bytes / claim.page_bytes;
  HitRatios hits;
  double longest = 0;
  if (after_earlier_run) {
    for (const PointEvidence& e : points) longest = std::max(longest, e.reads);
  }
  for (const PointEvidence& e : points) {
    hits.push_back(longest <= held ? std::min(1.0, longest / e.reads) : e.expected);
    longest = std::max(longest, e.reads);
  }
  return hits;
}

Hypothesis restarted(const Points& points, const ArrayClaim& claim) {
  const Misfit alone = misfit_of(points, claim, restarted_hits(points, claim, false));
  const Misfit again = misfit_of(points, claim, restarted_hits(points, claim, true));
  const bool earlier_run = again.worst < alone.worst;
  return judge("the generator restarted with the same seed at each point",
               earlier_run ? again : alone,
               earlier_run ? "every point would find in the cache what an earlier run of the same "
                             "seed had read"
                           : "every point would find in the cache what an earlier one had read, "
                             "the first one nothing",
               "a recording: re-reads in the order of the first reading; or one point run alone "
               "on a cold cache");
}

Hypothesis small_set(const Points& points, const ArrayClaim& claim, bool from_before) {
  const double held = claim.cache_bytes / claim.page_bytes;
  const double pages = std::max(2.0, claim.span_bytes / claim.page_bytes);
  const auto hits_of = [&](double set) {
    return for_each_point(points, [&](const PointEvidence& e) {
      if (from_before) return std::min(1.0, held / set);
      return uniform_hits_so_far(e.reads_before, e.reads, set, held);
    });
  };
  // Whatever fits in the cache as a whole, warm, is answered by it: no set smaller than that need
  // be tried.
  const double least = from_before ? std::clamp(held, 1.0, pages) : 1;
  const double set = best_fit(least, pages, points, claim, hits_of);
  const std::string size = format_bytes(static_cast<std::uint64_t>(set * claim.page_bytes));
  const Misfit misfit = misfit_of(points, claim, hits_of(set));
  if (from_before) {
    return judge(
        "a span smaller than said, or an earlier run of the same blocks, with the cache "
        "warm from before",
        misfit,
        fmt::format("fits best when {}{} are read again and again",
                    set > least ? "some " : "no more than ", size),
        "the same run after the cache was emptied or turned off; a recording");
  }
  return judge("a generator of short period or coarse offsets, or a span smaller than said", misfit,
               fmt::format("fits best when no more than {} are ever read", size),
               "a recording: distinct pages, granularity of the offsets, lowest and highest");
}

Hypothesis warm_cache(const Points& points, const ArrayClaim& claim) {
  const HitRatios hits =
      for_each_point(points, [](const PointEvidence& e) { return e.expected_most; });
  return judge(
      "uniform reads, and a cache warm from before", misfit_of(points, claim, hits),
      fmt::format("a full cache answers {:.1f} %, cache / span, and never more", 100 * hits.back()),
      "the same run after the cache was emptied");
}

Hypothesis larger_page(const Points& points, const ArrayClaim& claim) {
  const double span_pages = claim.span_bytes / claim.page_bytes;
  const double held = claim.cache_bytes / claim.page_bytes;
  const auto hits_of = [&](double factor) {
    return for_each_point(points, [&](const PointEvidence& e) {
      return uniform_hits_so_far(e.reads_before, e.reads, std::max(1.0, span_pages / factor),
                                 held / factor);
    });
  };
  const double factor = best_fit(1, 1024, points, claim, hits_of);
  return judge("read-ahead, or a cache page larger than the I/O",
               misfit_of(points, claim, hits_of(factor)),
               "it fills the cache sooner, but uniform reads still hit no more than cache / span",
               "the array's bytes read from disk beside the bytes asked for");
}

Hypothesis no_disk_needed(const Points& points, const ArrayClaim& claim) {
  const auto hits_of = [&](double missing) { return HitRatios(points.size(), 1 - missing); };
  const double missing = best_fit(1e-4, 1, points, claim, hits_of);
  return judge(
      "thin or zero blocks, answered without a disk", misfit_of(points, claim, hits_of(missing)),
      fmt::format("fits best when {:.1f} % of the span have no data on disk", 100 * (1 - missing)),
      "how much of the LUN is allocated; the same run after all of it was written");
}

Hypothesis host_cached(const Points& points, const ArrayClaim& claim, const LoadCurve& curve) {
  ArrayClaim host = claim;
  host.hit_time_ns = kHostHitNs;
  const Points seen = weigh_points(curve, host);
  const auto hits_of = [&](double missing) { return HitRatios(points.size(), 1 - missing); };
  const double missing = best_fit(1e-4, 1, seen, host, hits_of);
  return judge("the host's own memory answered", misfit_of(seen, host, hits_of(missing)),
               fmt::format("fits best when it had {:.1f} % of the blocks", 100 * (1 - missing)),
               "iostat on the host: fewer reads than the tool counted; direct I/O on");
}

Hypothesis link_limit(const Points& points, const ArrayClaim& claim) {
  Hypothesis h{"the link limits", HypothesisVerdict::kUndecided, 0.05, "",
               "throughput with 512-byte and with 64 KB reads of a few blocks"};
  const PointEvidence& last = points.back();
  const double rate =
      last.point.iops * (last.point.request_bytes > 0 ? last.point.request_bytes : claim.io_bytes);
  if (claim.link_bytes_per_second > 0) {
    const double use = rate / claim.link_bytes_per_second;
    h.why = fmt::format("the last point uses {:.0f} % of it", 100 * use);
    h.verdict = use > 0.9 ? HypothesisVerdict::kConsistent : HypothesisVerdict::kRefuted;
    h.likelihood = use > 0.9 ? 1 : 0;
    return h;
  }
  // The last third of the ladder: a link that limits holds throughput where it is.
  const std::size_t from = points.size() * 2 / 3;
  const PointEvidence& before = points[from];
  const double growth = last.point.iops / before.point.iops;
  const double load = last.point.outstanding / before.point.outstanding;
  h.why = fmt::format("from {:g} to {:g} outstanding throughput grew {:.2f}-fold",
                      before.point.outstanding, last.point.outstanding, growth);
  if (load < 1.2) {
    h.why = "too few loads at the end of the ladder to see a limit";
  } else if (growth < 1.03) {
    h.verdict = HypothesisVerdict::kConsistent;
    h.likelihood = 1;
  } else if (growth > 1.1) {
    h.verdict = HypothesisVerdict::kRefuted;
    h.likelihood = 0;
    h.why += ", so nothing held it; and a limit could not make it larger";
  }
  return h;
}

// It explains the change; the level before it has to be that of honest reads.
Hypothesis depth_change(const Points& points, const ArrayClaim& claim) {
  Hypothesis h{
      "a change that depends on the number outstanding (a second path or process, a queue "
      "limit, firmware)",
      HypothesisVerdict::kUndecided, 0.02, "nothing in the curve calls for it",
      "the ladder run backwards, and again from the middle: a change that stays at the "
      "same load depends on the load, one that stays at the same time does not"};
  const std::size_t at = late_change(points);
  if (at == 0) return h;
  h.verdict = HypothesisVerdict::kConsistent;
  h.likelihood = 1;
  h.why = fmt::format(
      "throughput outgrew the load first at {:g} outstanding, {:.2f}-fold on {:.2f} times; a "
      "change at that moment, whatever the load, would look the same",
      points[at].point.outstanding, points[at].growth.throughput, points[at].growth.load);
  if (is_power_of_two(points[at - 1].point.outstanding)) {
    h.why += fmt::format("; the last load before it, {:g}, is a usual limit of a queue",
                         points[at - 1].point.outstanding);
  }
  const Points before{points.begin(), points.begin() + static_cast<std::ptrdiff_t>(at)};
  const Misfit level = misfit_of(
      before, claim, for_each_point(before, [](const PointEvidence& e) { return e.expected; }));
  if (level.worst > kFits) {
    h.verdict = HypothesisVerdict::kUndecided;
    h.likelihood = 0.02;
    h.why += fmt::format(
        "; but it explains that growth only, not that at {:g} outstanding {:.0f} % were answered "
        "without a disk",
        level.at, 100 * level.implied);
  }
  return h;
}

double gain_at(const std::vector<double>& gains, double depth) {
  if (depth <= 1) return 1;
  const double place = std::min(depth, static_cast<double>(gains.size())) - 1;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, gains.size() - 1);
  return gains[below] + (place - static_cast<double>(below)) * (gains[above] - gains[below]);
}

// Shortest positioning time first on a disk of 10,000 rpm, simulated: what depth can be worth.
Hypothesis scheduling(const Points& points, const ArrayClaim& claim) {
  ArrayConfig disk;
  disk.disks.law = ServiceLaw::kMechanical;
  disk.disks.bytes_per_second = 100e6;
  disk.queue.policy = DiskQueuePolicy::kSptf;
  const double deepest = points.back().point.outstanding / claim.disks;
  const std::vector<double> gains =
      depth_gain(disk, static_cast<unsigned>(std::clamp(std::ceil(deepest), 1.0, 16.0)), 8192);
  Hypothesis h{"smarter disk scheduling at depth (shortest positioning first)",
               HypothesisVerdict::kUndecided, 0.2, "",
               "the disks' own queue depth set to 1; latency percentiles, which it spreads"};
  double worst = 0;
  double at = 0;
  double available = 1;
  bool jumps = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointEvidence& e = points[i];
    const double fcfs = closed_throughput(claim, e.point.outstanding, e.expected, 1, 0);
    const double gain = gain_at(gains, e.point.outstanding / claim.disks);
    if (e.point.iops / fcfs / gain > worst) {
      worst = e.point.iops / fcfs / gain;
      at = e.point.outstanding;
      available = gain;
    }
    if (i < 2 || !e.growth.is_faster_than_load(0)) continue;
    const double before = points[i - 1].point.outstanding;
    const double grows = e.growth.load * gain / gain_at(gains, before / claim.disks);
    jumps = jumps || e.growth.throughput > grows * kGrowthSlack;
  }
  h.why = fmt::format(
      "at {:g} outstanding the disks would have to be {:.2f} times as fast as first "
      "come first served; that depth is worth {:.2f}",
      at, worst * available, available);
  if (worst > 1.3 || jumps) {
    h.verdict = HypothesisVerdict::kRefuted;
    h.likelihood = 0;
    if (jumps) h.why += "; and what it gains comes gradually, not from one load to the next";
  } else if (worst * available > 1.05) {
    h.verdict = HypothesisVerdict::kConsistent;
    h.likelihood = 1;
  } else {
    h.why = "no point needs it: first come first served disks do as well";
  }
  return h;
}

}  // namespace

bool is_power_of_two(double n) {
  return n >= 8 && std::exp2(std::round(std::log2(n))) == n;
}

std::vector<Hypothesis> test_hypotheses(const std::vector<PointEvidence>& points,
                                        const ArrayClaim& claim) {
  LoadCurve curve;
  for (const PointEvidence& e : points) curve.points.push_back(e.point);
  const Hypothesis honest = uniform(points, claim);
  // A claim with a number of its own can always be made to say what uniform reads say.
  const auto if_needed = [&honest](Hypothesis h) {
    if (honest.verdict != HypothesisVerdict::kConsistent ||
        h.verdict != HypothesisVerdict::kConsistent) {
      return h;
    }
    h.verdict = HypothesisVerdict::kUndecided;
    h.likelihood = kNotCalledFor;
    h.why = "nothing in the curve calls for it: independent uniform reads do as well";
    return h;
  };
  return {honest,
          restarted(points, claim),
          if_needed(small_set(points, claim, false)),
          if_needed(small_set(points, claim, true)),
          if_needed(larger_page(points, claim)),
          if_needed(no_disk_needed(points, claim)),
          if_needed(warm_cache(points, claim)),
          if_needed(host_cached(points, claim, curve)),
          link_limit(points, claim),
          depth_change(points, claim),
          scheduling(points, claim)};
}

}  // namespace rigel
