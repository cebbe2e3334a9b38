// Two measured results side by side: throughput and latencies, each with the 95 % interval that
// its count of I/Os allows (measured_figures.hpp), and whether the difference is more than counting
// noise. Different is what differs by 5 % or more and has intervals that do not meet, wider ones
// than shown, so that a comparison of all figures of two equal systems finds something in 5 % of
// cases at most; where the count is not known, 5 % alone decide. What differs by 5 % and has no
// interval, or one that hangs on how a curve bends between its loads, cannot be told. What went
// wrong (errors, I/Os not issued) is different when its shares are 0.1 % of the I/Os or more apart
// and the intervals of the counts do not meet; failed jobs are all there are and have none. The
// intervals know nothing of drift between runs.
//
// Loads: of two replays (or traces) the one run that they are; else every load of either side
// within the range that both cover, the other side read off between its neighbouring loads; a
// replay or trace beside a curve lies at its mean number outstanding. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/compare/measured_figures.hpp"
#include "model/compare/measured_result.hpp"

namespace rigel {

enum class ResultVerdict : std::uint8_t {
  kSame,          // equal
  kSmall,         // less than 5 % apart
  kNoise,         // 5 % or more, but within their intervals
  kTooFew,        // 5 % or more, and too few I/Os to tell
  kBetweenLoads,  // 5 % or more, and not to be told between the loads of a curve
  kDifferent,
};
// "noise", "too few I/Os to tell"
[[nodiscard]] std::string_view words_of(ResultVerdict verdict);

struct ResultDifference {
  std::string key;  // "iops@8", "service_time_ns.p99", "errors.EIO"
  FigureUnit unit = FigureUnit::kCount;
  Measured a;
  Measured b;
  double distance = 0;  // |a - b| as a share of the larger; of shares |a - b|
  ResultVerdict verdict = ResultVerdict::kSame;

  [[nodiscard]] bool significant() const { return verdict == ResultVerdict::kDifferent; }
  [[nodiscard]] bool told() const {
    return verdict != ResultVerdict::kTooFew && verdict != ResultVerdict::kBetweenLoads;
  }
};

struct ResultComparison {
  bool same = true;  // no difference is significant
  std::vector<ResultDifference> differences;
  std::vector<std::string> missing;  // loads and figures that only one has, and why
};

// Throws Error when they have no load in common.
[[nodiscard]] ResultComparison compare_results(const MeasuredResult& a, const MeasuredResult& b);

}  // namespace rigel
