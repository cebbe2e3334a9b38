// Replays the I/O of a source on targets: one thread reads ahead, one or more issue.
//
// The issuing threads keep one clock and start together. They spin or sleep as SpinMode says, each
// pinned to a CPU of its own as long as there are any, unless in closed loop; kernel workers and
// the read-ahead thread are kept off those CPUs. Memory: the queues (14 MiB in all), the latency
// cells (at most 30 MiB), 32 bytes for each I/O that may be in flight, and the buffers of what is
// in flight.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "replay/activity_sampler.hpp"
#include "replay/data_pattern.hpp"
#include "replay/pacer.hpp"
#include "replay/record_source.hpp"
#include "replay/replay_result.hpp"
#include "replay/target.hpp"

namespace rigel {

struct ReplayOptions {
  ReplayTiming timing = ReplayTiming::kOriginal;  // kDependent: one thread issues
  std::uint32_t depth = 4096;                     // most outstanding on each target
  SpinMode spin = SpinMode::kAuto;
  unsigned threads = 0;  // that issue; 0: one a target, as far as there are CPUs
  std::int64_t warm_up_ns = 0;
  std::int64_t stop_at_ns = std::numeric_limits<std::int64_t>::max();
  bool fail_fast = false;  // end with the first I/O that fails
  bool verify = false;     // stamp what is written, check it when it is read, and read it back
  DataPatternOptions data;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: finish and report
  IoRecorder* recorder = nullptr;           // not started; finish() is left to its owner
  // Hears every `sample_interval_ns` what the targets did in it, on a thread of its own; the last
  // interval may be shorter. Must not throw.
  std::function<void(const ActivitySample&)> on_sample;
  std::int64_t sample_interval_ns = 1'000'000'000;
};

// Blocks until done. Throws Error when the replay cannot be started; what goes wrong afterwards is
// in the result.
[[nodiscard]] ReplayResult replay(RecordSource& source, std::span<const Target> targets,
                                  const ReplayOptions& options);

}  // namespace rigel
