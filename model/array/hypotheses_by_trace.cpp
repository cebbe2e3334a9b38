// What a recording settles of the hypotheses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/array/hypotheses.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

// Beyond this many standard deviations chance is no explanation.
constexpr double kBeyondChance = 5;
constexpr double kLeastP = 1e-6;
// Chi-square over 256 bins wants 5 in each.
constexpr double kEnoughReads = 5 * 256;
constexpr double kWholeRun = 0.9;  // of the reads that the curve counts
constexpr double kReordering = 512;

bool begins_with(const Hypothesis& hypothesis, std::string_view words) {
  return std::string_view{hypothesis.name}.starts_with(words);
}

// Likelihoods beside those of the averages, which are at most 1.
void settle(Hypothesis& hypothesis, HypothesisVerdict verdict, const std::string& why) {
  hypothesis.verdict = verdict;
  hypothesis.why = why;
  if (verdict == HypothesisVerdict::kCertain) hypothesis.likelihood = 100;
  if (verdict == HypothesisVerdict::kRefuted) hypothesis.likelihood = 0;
}

double reads_of(const std::vector<PointEvidence>& points) {
  double reads = 0;
  for (const PointEvidence& e : points) reads += e.reads;
  return reads;
}

// All points read about equally often: a restart then looks like a period of that length.
bool points_alike(const std::vector<PointEvidence>& points) {
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const PointEvidence& a, const PointEvidence& b) { return a.reads < b.reads; });
  return most->reads < 1.1 * least->reads;
}

// What the offsets themselves are, whatever the averages say.
struct Findings {
  bool enough = false;  // reads for a verdict on their distribution
  bool whole_run = false;
  bool rereading = false;  // more than chance
  bool one_distance = false;
  bool repeats = false;  // whole sequences
  bool short_span = false;
  bool coarse = false;
  bool uniform = false;
};

Findings find_in(const SequenceEvidence& s, const std::vector<PointEvidence>& points,
                 const ArrayClaim& claim) {
  const double reads = static_cast<double>(s.reads);
  const double rereads = static_cast<double>(s.rereads);
  const double expected_rereads = reads - s.expected_distinct;
  const double surprise = (rereads - expected_rereads) / std::sqrt(std::max(1.0, expected_rereads));
  const double covered = static_cast<double>(s.highest_bytes - s.lowest_bytes);
  Findings found;
  found.enough = reads >= kEnoughReads;
  found.whole_run = reads >= kWholeRun * reads_of(points);
  found.rereading = surprise > kBeyondChance;
  found.repeats = found.rereading && static_cast<double>(s.rereads_in_sequence) > 0.5 * rereads;
  found.one_distance = s.sequence_deviation < std::max(kReordering, 0.05 * s.sequence_distance);
  // The extremes of n uniform offsets miss 2 / (n + 1) of the span on average.
  found.short_span =
      covered < claim.span_bytes * (1 - 20 / (reads + 1)) && covered < 0.95 * claim.span_bytes;
  found.coarse = static_cast<double>(s.granularity_bytes) >= 2 * claim.page_bytes;
  found.uniform = s.chi_square_p > kLeastP && std::abs(s.serial_deviation) < kBeyondChance &&
                  !found.rereading && !found.short_span && !found.coarse;
  return found;
}

std::string numbers_of(const SequenceEvidence& s) {
  std::string text = fmt::format(
      "{} reads of {} distinct pages, where {} were to be expected of uniform reads; {} re-reads, "
      "{} of them within the cache's reach, {} in the order of the reading before; chi-square p = "
      "{:.3g}, serial correlation {:+.4f} ({:+.1f} standard deviations); offsets from {} to {} in "
      "steps of {}",
      format_count(s.reads), format_count(s.distinct_pages),
      format_count(static_cast<std::uint64_t>(s.expected_distinct)), format_count(s.rereads),
      format_count(s.rereads_in_reach), format_count(s.rereads_in_sequence), s.chi_square_p,
      s.serial_correlation, s.serial_deviation, format_bytes(s.lowest_bytes),
      format_bytes(s.highest_bytes), format_bytes(s.granularity_bytes));
  if (s.rereads_in_sequence > 0) {
    text += fmt::format("; sequences come again after {:.0f} reads, give or take {:.0f}",
                        s.sequence_distance, s.sequence_deviation);
  }
  return text;
}

// `shown`: the recording shows it. Where it does not, only a recording of the whole run refutes.
HypothesisVerdict fault(bool shown, const Findings& found) {
  if (shown) return HypothesisVerdict::kCertain;
  return found.whole_run && found.enough ? HypothesisVerdict::kRefuted
                                         : HypothesisVerdict::kUndecided;
}

HypothesisVerdict honest(const Findings& found) {
  if (!found.uniform) return HypothesisVerdict::kRefuted;
  if (!found.enough) return HypothesisVerdict::kUndecided;
  return found.whole_run ? HypothesisVerdict::kCertain : HypothesisVerdict::kConsistent;
}

// Points that all read as much come again at one distance, as a short period does.
HypothesisVerdict restart(const Findings& found, bool alike) {
  if (found.repeats && found.one_distance && alike) return HypothesisVerdict::kUndecided;
  return fault(found.repeats && !found.one_distance, found);
}

HypothesisVerdict short_period(const Findings& found, bool alike) {
  if (found.short_span || found.coarse) return HypothesisVerdict::kCertain;
  if (found.repeats && found.one_distance && alike) return HypothesisVerdict::kUndecided;
  const bool restarts = found.repeats && !found.one_distance;
  return fault(found.rereading && !restarts, found);
}

}  // namespace

void decide_by_sequence(const SequenceEvidence& sequence, const std::vector<PointEvidence>& points,
                        const ArrayClaim& claim, std::vector<Hypothesis>& hypotheses) {
  const Findings found = find_in(sequence, points, claim);
  const bool alike = points_alike(points);
  std::string numbers = numbers_of(sequence);
  if (!found.whole_run) {
    numbers += fmt::format("; the run was of some {:.0f} reads, so this is a part of it only",
                           reads_of(points));
  }
  // Reads answered although, as recorded, this cache could not have held them.
  double answered = 0;
  for (const PointEvidence& e : points) answered += e.implied_low * e.reads;
  const bool beyond_cache =
      found.whole_run && answered / reads_of(points) > sequence.cache_hit_ratio + 0.1;
  for (Hypothesis& h : hypotheses) {
    if (begins_with(h, "independent uniform")) settle(h, honest(found), numbers);
    if (begins_with(h, "uniform reads") && !found.uniform) {
      settle(h, HypothesisVerdict::kRefuted, numbers);
    }
    if (begins_with(h, "the generator restarted")) settle(h, restart(found, alike), numbers);
    if (begins_with(h, "a generator of short period")) {
      settle(h, short_period(found, alike), numbers);
    }
    if (begins_with(h, "a span smaller")) settle(h, fault(found.short_span, found), numbers);
    const bool elsewhere = begins_with(h, "thin") || begins_with(h, "the host");
    if (elsewhere && beyond_cache && h.verdict != HypothesisVerdict::kRefuted) {
      h.verdict = HypothesisVerdict::kConsistent;
      h.why += fmt::format("; the reads recorded would have hit this cache in {:.1f} % only",
                           100 * sequence.cache_hit_ratio);
    }
  }
}

}  // namespace rigel
