// Capacity planning: which of several arrays meets the targets under a recorded load as it is and
// grown, how much growth each bears, and what it lacks then. Every answer is a simulation of the
// whole trace in open loop (simulation.hpp), so that what is said of a configuration can be had
// again by `rigel simulate`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/array/array_config.hpp"
#include "model/array/plan_target.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

enum class Growth : std::uint8_t {
  kRate,  // the same data, so many times as often
  kData,  // so many times as much data, each as often: see grown_trace.hpp
};

struct PlanQuestion {
  // Opens the load anew; called from several threads at once.
  std::function<std::unique_ptr<TraceSource>()> open;
  std::vector<ArrayConfig> candidates;
  std::vector<PlanTarget> targets;
  std::vector<double> growths{1};  // rising
  Growth growth = Growth::kRate;
  std::int64_t warm_up_ns = 0;  // of the recording: fills the cache and is not counted
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::function<bool()> go_on = [] { return true; };
};

struct PlanStep {
  double growth = 1;
  LoadResult result;
  bool met = false;  // all targets
};

// What "twice the cache" is where there is none.
inline constexpr std::uint64_t kFirstCacheBytes = std::uint64_t{1} << 30;

struct CandidateAnswer {
  std::vector<PlanStep> steps;  // one for each growth asked for
  // The largest growth that still meets the targets, to 5 %; 0 when even the least asked for does
  // not. `headroom_is_more`: there is more than that, which was not looked for.
  double headroom = 0;
  bool headroom_is_more = false;
  // What doubled would help most where targets are first missed: "cache", "disks", "link",
  // "controller"; empty when none of these does, or none is missed. `limit_cured`: the targets
  // are met then.
  std::string limit;
  bool limit_cured = false;
};

struct PlanAnswer {
  std::vector<CandidateAnswer> candidates;  // as asked
  // Meets all targets at every growth asked for, at the least cost that is known, or, where none
  // is, the first of them. Nothing when none does.
  std::optional<std::size_t> choice;
};

// What a configuration costs by its [cost] section; nothing when that says nothing.
[[nodiscard]] std::optional<double> cost_of(const ArrayConfig& config);

// Throws UsageError for a question that makes no sense, Error for a trace that cannot be used.
// Ends early, with what is done, when `go_on` says so.
[[nodiscard]] PlanAnswer make_plan(const PlanQuestion& question);

}  // namespace rigel
