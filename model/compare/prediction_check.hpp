// A predicted hit ratio beside the one that measured read latencies imply (hit_miss_fit.hpp), for
// the whole measurement and window by window. A read of several pages is a hit when all of them
// are, so what is compared is the model's ratio of read requests; a sampled model has none, and its
// ratio of read pages stands for it. Pure functions, which throw Error for a model's JSON that is
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/compare/hit_miss_fit.hpp"
#include "model/compare/measured_result.hpp"
#include "model/compare/workload_profile.hpp"

namespace rigel {

// One of results[] of `rigel model --json`.
struct PredictedHits {
  std::string policy;
  std::uint64_t cache_bytes = 0;
  double hit_ratio = 0;
  double low = 0;  // of a sampled model; otherwise the ratio itself
  double high = 0;
};
// At least one; those without a ratio of reads are left out.
[[nodiscard]] std::vector<PredictedHits> parse_predictions(std::string_view text,
                                                           const std::string& name);

// The trace that a model's JSON is of.
struct PredictedFrom {
  std::uint64_t requests = 0;
  std::uint64_t lost = 0;  // of the trace, beside these
  bool lost_at_least = false;
};
[[nodiscard]] PredictedFrom parse_predicted_from(std::string_view text, const std::string& name);

struct PredictionWindow {
  std::int64_t from_ns = 0;  // start of its first I/O
  double reads = 0;
  double hit_ratio = 0;
  double noise = 0;  // half of its 95 % interval, by its number of reads
};

struct PredictionCheck {
  struct Line {
    PredictedHits predicted;
    // The intervals of both meet, or they are within 0.01 of each other.
    bool agrees = false;
    std::size_t windows_agreeing = 0;  // within their noise, or 0.05
  };
  HitMissFit implied;
  std::optional<std::uint64_t> border_ns;  // set by hand
  std::vector<Line> lines;
  std::string cannot_tell;  // why there are no lines; otherwise empty
  std::vector<PredictionWindow> windows;
};

[[nodiscard]] bool agrees_in(const PredictionWindow& window, const PredictedHits& predicted);

// Against a trace's reads.
[[nodiscard]] PredictionCheck check_predictions(const std::vector<PredictedHits>& predictions,
                                                const WorkloadProfile& measured,
                                                std::optional<std::uint64_t> border_ns);
// Against a result's percentiles, of which only a border tells hits from misses: service times, or
// else the first table. The ratio lies between the shares of the percentiles around the border.
// Throws Error for a result without percentiles.
[[nodiscard]] PredictionCheck check_predictions(const std::vector<PredictedHits>& predictions,
                                                const MeasuredResult& measured,
                                                std::uint64_t border_ns);

}  // namespace rigel
