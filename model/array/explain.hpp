// Why a measured load curve is as it is: hypotheses about the workload, the array and the host,
// each tested against every point and given a verdict, what it rests on, and what would settle it.
//
// A hypothesis predicts a hit ratio for every point; a closed network of hits and disks
// (curve_evidence.hpp) turns that into a range of throughput, disks 25 % faster to 25 % slower than
// described, or the range of hit ratios that the measured throughput implies. It is refuted where
// its hit ratio is out of that range by more than 0.20, and consistent where it is nowhere out by
// more than 0.05. Besides, in a stationary closed network whose stations do not speed up with their
// queues, X(n2) / X(n1) <= n2 / n1; a hypothesis whose hit ratios do not provide for a breach of
// that is no more than undecided, as it may be true beside another, and refuted when it is out
// by more than 0.10. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/array/curve_evidence.hpp"
#include "model/array/sequence_evidence.hpp"

namespace rigel {

enum class HypothesisVerdict : std::uint8_t { kCertain, kConsistent, kUndecided, kRefuted };
[[nodiscard]] std::string_view verdict_name(HypothesisVerdict verdict);

struct Hypothesis {
  std::string name;
  HypothesisVerdict verdict = HypothesisVerdict::kUndecided;
  double likelihood = 0;  // relative to the others, all alike before; they sum to 1
  std::string why;
  std::string settled_by;
};

struct Explanation {
  std::vector<PointEvidence> points;
  std::vector<std::string> verdicts;  // of each point
  std::vector<Hypothesis> hypotheses;
  std::string conclusion;
};

// `sequence` is what a recording of the run shows, where there is one: it decides.
// Throws UsageError for a claim that makes no sense and Error for a curve without small reads.
[[nodiscard]] Explanation explain(const LoadCurve& curve, const ArrayClaim& claim,
                                  const std::optional<SequenceEvidence>& sequence = std::nullopt);

}  // namespace rigel
