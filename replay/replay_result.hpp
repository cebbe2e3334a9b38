// What happened in a replay, and whether it was the replay that was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/issuer.hpp"
#include "replay/latency_table.hpp"
#include "replay/record_source.hpp"
#include "replay/replay_timeline.hpp"
#include "replay/write_verifier.hpp"
#include "traces/load_curve.hpp"

namespace rigel {

// I/O that io_uring did not start itself but gave to a kernel worker thread, from the kernel's
// per-thread accounting of block I/O.
struct PuntedIo {
  std::uint64_t bytes = 0;
  std::uint64_t ios = 0;  // estimate: bytes by the mean length
};

struct TargetTotals {
  std::string path;
  ActivityCounts counts;
  double mean_outstanding = 0;
  std::optional<double> recorded_outstanding;  // the same as recorded, at the replay's speed
  double busy = 0;                             // share of the time with I/O in flight
  std::int64_t longest_silence_ns = 0;         // with I/O in flight and none coming back
};

struct Fidelity {
  bool faithful = true;
  std::vector<std::string> reasons;  // why not
  std::vector<std::string> advice;   // what to do about it, or what to keep in mind
  // Unset where the recording's times were not to be kept.
  std::optional<double> duration_error;        // relative, of first issue to last; 0.01: 1 % longer
  std::optional<double> interarrival_ks;       // Kolmogorov-Smirnov distance of gaps between issues
  std::optional<double> recorded_outstanding;  // mean in flight as recorded; unset when unknown
  double outstanding = 0;                      // mean in flight as replayed
};

struct ReplayResult {
  RecordSource::Tally tally;
  IssuerResult issue;  // of all issuing threads
  std::shared_ptr<const LatencyTable> latencies;
  std::vector<std::string> roles;
  std::vector<TargetTotals> targets;
  ReplayTimeline timeline;
  ReplayTiming timing = ReplayTiming::kOriginal;
  std::uint32_t depth = 0;
  bool interrupted = false;
  bool failed_fast = false;
  bool time_limited = false;              // was to end by the clock, not with the trace
  std::vector<double> rates;              // of a ramp's levels
  std::int64_t duration_ns = 0;           // first issue to last completion
  std::int64_t intended_duration_ns = 0;  // first to last due time
  std::int64_t elapsed_ns = 0;            // from the replay's start to its end, setting up included
  std::int64_t warm_up_ns = 0;
  std::int64_t cpu_user_ns = 0;  // of all threads, io_uring's kernel workers included
  std::int64_t cpu_system_ns = 0;
  std::size_t buffer_bytes = 0;
  std::optional<VerifyResult> verify;
  std::optional<PuntedIo> punted;  // unless the kernel does not tell
  std::vector<std::string> notes;
  std::string source_error;  // what ended the reading of the trace early
  Fidelity fidelity;

  [[nodiscard]] double iops() const;
  [[nodiscard]] double bytes_per_second() const;
  // All cells as one, or those of one operation.
  // One point for each level of a ramp.
  [[nodiscard]] LoadCurve load_curve() const;
  [[nodiscard]] LatencyHistogram service() const;
  [[nodiscard]] LatencyHistogram response() const;
};

// Adds `other` (of another thread of the same replay) to `into`.
void merge(IssuerResult& into, const IssuerResult& other);

// The largest difference between the two distributions of gaps. Gaps below kGapResolutionNs count
// as equal: records of one time stamp cannot leave a host at the same instant.
inline constexpr std::int64_t kGapResolutionNs = 10'000;
[[nodiscard]] double ks_distance(const LatencyHistogram& a, const LatencyHistogram& b);

// A replay is faithful when all of these hold; see rigel-replay(1).
inline constexpr double kMaxDurationError = 0.001;  // or kMaxDurationErrorNs, if that is more
inline constexpr std::int64_t kMaxDurationErrorNs = 2'000'000;
inline constexpr std::int64_t kMaxSlipP99Ns = 1'000'000;
inline constexpr double kMaxInterarrivalKs = 0.05;
inline constexpr double kMaxDelayedShare = 0.001;  // by the depth limit or lack of buffers
inline constexpr double kMaxDrainShare = 0.01;     // time from last issue to last completion…
inline constexpr std::int64_t kMaxDrainNs = 1'000'000'000;  // …or this, if that is more
// A target that kept silent for longer, with I/O in flight, is spoken of.
inline constexpr std::int64_t kLongSilenceNs = 1'000'000'000;
[[nodiscard]] Fidelity judge(const ReplayResult& result);

}  // namespace rigel
