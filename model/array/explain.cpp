#include "model/array/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/array/hypotheses.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

std::string percent(double ratio) {
  return fmt::format("{:.{}f} %", 100 * ratio, ratio < 0.1 ? 1 : 0);
}

std::string point_verdict(const PointEvidence& e) {
  std::string text;
  const auto say = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (!e.littles_law_holds) {
    say(fmt::format("IOPS x latency is {:+.1f} % off the load: not {:g} outstanding on average",
                    100 * e.littles_error, e.point.outstanding));
  }
  if (e.faster_than_hits) {
    say(fmt::format("faster than hits alone: a hit takes at most {}, or the host answered some",
                    format_duration(static_cast<std::int64_t>(e.point.latency_ns))));
  }
  const double least = std::max(e.least_hit_by_throughput, e.least_hit_by_latency);
  if (least > e.expected_most + 0.01 && e.implied_low > e.expected_most + 0.01) {
    say(
        fmt::format("at least {} answered without a disk, where uniform reads would have {} and "
                    "could never have more than {}",
                    percent(least), percent(e.expected), percent(e.expected_most)));
  } else if (e.implied_low > e.expected + 0.03) {
    say(fmt::format("some {} answered without a disk, where uniform reads would have {}",
                    percent(e.implied), percent(e.expected)));
  }
  if (e.part_of_disks < 0.8) {
    say(
        fmt::format("{} of what the disks described would do without any hit: slower or fewer of "
                    "them, or reads spread unevenly",
                    percent(e.part_of_disks)));
  }
  if (e.growth.is_faster_than_load(0)) {
    say(fmt::format("throughput grew {:.2f}-fold on {:.2f} times the load: something changed",
                    e.growth.throughput, e.growth.load));
  }
  return text.empty() ? "as disks and cache would do" : text;
}

std::string names_of(const std::vector<Hypothesis>& all, HypothesisVerdict verdict) {
  std::string text;
  for (const Hypothesis& hypothesis : all) {
    if (hypothesis.verdict != verdict) continue;
    text += (text.empty() ? "" : "; ") + hypothesis.name;
  }
  return text;
}

std::string level_sentence(const std::vector<PointEvidence>& points) {
  // What throughput shows needs no belief in the time of a single read: it goes first.
  const auto by = [&](double PointEvidence::*bound) {
    return *std::max_element(points.begin(), points.end(),
                             [bound](const auto& a, const auto& b) { return a.*bound < b.*bound; });
  };
  PointEvidence e = by(&PointEvidence::least_hit_by_throughput);
  if (e.least_hit_by_throughput <= e.expected_most + 0.01) {
    e = by(&PointEvidence::least_hit_by_latency);
  }
  const double by_disks = e.least_hit_by_throughput;
  const double least = std::max(by_disks, e.least_hit_by_latency);
  if (least <= e.expected_most + 0.01 || e.implied_low <= e.expected_most + 0.01) {
    return "No point needs more hits than independent uniform reads would have.";
  }
  const std::string why =
      by_disks >= e.least_hit_by_latency
          ? fmt::format("{:.0f} reads a second where all disks together give {:.0f}", e.point.iops,
                        e.disk_limit_iops)
          : fmt::format("{} where a read from disk takes longer",
                        format_duration(static_cast<std::int64_t>(e.point.latency_ns)));
  const bool always = std::all_of(points.begin(), points.end(), [](const PointEvidence& point) {
    return std::max(point.least_hit_by_throughput, point.least_hit_by_latency) > 0.9;
  });
  const char* const another_array =
      always ? " It is so at every load: look first whether the array is the one described, since "
               "one of flash answers every read like this."
             : "";
  return fmt::format(
      "Independent uniform reads, served first come first served by the array described, are "
      "refuted: at {:g} outstanding at least {} were answered without a disk or by disks that had "
      "become faster ({}), while a cache of this size answers at most {} of such reads, whatever "
      "was in it before; from what had been read by then it would have been {}.{}",
      e.point.outstanding, percent(least), why, percent(e.expected_most), percent(e.expected),
      another_array);
}

std::string change_sentence(const std::vector<PointEvidence>& points) {
  std::string text;
  if (points.size() > 1 && points[1].growth.is_faster_than_load(0)) {
    text += fmt::format(
        " Throughput grew {:.2f}-fold from {:g} to {:g} outstanding: the first point was not yet "
        "steady (first touches, a cache that filled).",
        points[1].growth.throughput, points[0].point.outstanding, points[1].point.outstanding);
  }
  const std::size_t at = late_change(points);
  if (at == 0) return text;
  const PointEvidence& after = points[at];
  const double before_n = points[at - 1].point.outstanding;
  text += fmt::format(
      " Between {:g} and {:g} outstanding throughput grew {:.2f}-fold on {:.2f} times the load{}: "
      "no stationary set of queues does that, with any constant hit ratio. Something changed "
      "there, with the load or with the time: one ladder of rising loads cannot tell which; the "
      "same ladder downwards, or both loads again in turn, can.",
      before_n, after.point.outstanding, after.growth.throughput, after.growth.load,
      after.point.latency_ns < points[at - 1].point.latency_ns ? ", and latency fell" : "");
  if (is_power_of_two(before_n)) {
    text += fmt::format(
        " {:g} is a usual depth of a queue in a host (a block device's nr_requests, an HBA's or a "
        "LUN's queue depth): look at what happens to the request after that first.",
        before_n);
  }
  return text;
}

std::string conclude(const Explanation& explanation, bool decided_by_trace) {
  std::string text = level_sentence(explanation.points) + change_sentence(explanation.points);
  const std::string certain = names_of(explanation.hypotheses, HypothesisVerdict::kCertain);
  const std::string consistent = names_of(explanation.hypotheses, HypothesisVerdict::kConsistent);
  const std::string undecided = names_of(explanation.hypotheses, HypothesisVerdict::kUndecided);
  if (!certain.empty()) text += fmt::format(" The recording shows: {}.", certain);
  if (!consistent.empty()) text += fmt::format(" What fits: {}.", consistent);
  if (!undecided.empty()) text += fmt::format(" Not excluded: {}.", undecided);
  if (!decided_by_trace) {
    text +=
        " Averages cannot tell blocks that were read again from blocks that never needed a disk, "
        "nor a sequence that repeats from a small set of blocks: record the run (rigel capture, "
        "or rigel orion --record) and give it with --trace; note the array's own count of reads "
        "from disk beside it.";
  }
  return text;
}

}  // namespace

std::string_view verdict_name(HypothesisVerdict verdict) {
  switch (verdict) {
    case HypothesisVerdict::kCertain:
      return "certain";
    case HypothesisVerdict::kConsistent:
      return "consistent";
    case HypothesisVerdict::kUndecided:
      return "undecided";
    case HypothesisVerdict::kRefuted:
      return "refuted";
  }
  return "";
}

Explanation explain(const LoadCurve& curve, const ArrayClaim& claim,
                    const std::optional<SequenceEvidence>& sequence) {
  Explanation explanation;
  explanation.points = weigh_points(curve, claim);
  if (explanation.points.empty()) {
    throw Error{curve.source + ": no point with small I/Os and their IOPS or latency"};
  }
  for (const PointEvidence& point : explanation.points) {
    explanation.verdicts.push_back(point_verdict(point));
  }
  explanation.hypotheses = test_hypotheses(explanation.points, claim);
  if (sequence) decide_by_sequence(*sequence, explanation.points, claim, explanation.hypotheses);
  double sum = 0;
  for (const Hypothesis& hypothesis : explanation.hypotheses) sum += hypothesis.likelihood;
  for (Hypothesis& hypothesis : explanation.hypotheses) {
    if (sum > 0) hypothesis.likelihood /= sum;
  }
  explanation.conclusion = conclude(explanation, sequence.has_value());
  return explanation;
}

}  // namespace rigel
