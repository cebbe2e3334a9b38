// Replays the I/O of a source on targets: one thread reads ahead, one or more issue.
//
// The issuing threads keep one clock and start together. They spin or sleep as SpinMode says, each
// pinned to a CPU of its own as long as there are any; kernel workers and the read-ahead thread are
// kept off those CPUs. Memory: the queues (16 MiB in all), the latency cells (at most 30 MiB),
// 32 bytes for each I/O that may be in flight, and the buffers of what is in flight.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <span>

#include "replay/data_pattern.hpp"
#include "replay/pacer.hpp"
#include "replay/record_source.hpp"
#include "replay/replay_result.hpp"
#include "replay/target.hpp"

namespace rigel {

struct ReplayOptions {
  bool closed_loop = false;    // keep `depth` outstanding on each target, whatever the times
  std::uint32_t depth = 4096;  // most outstanding on each target
  SpinMode spin = SpinMode::kAuto;
  unsigned threads = 0;  // that issue; 0: one a target, as far as there are CPUs
  std::int64_t warm_up_ns = 0;
  std::int64_t stop_at_ns = std::numeric_limits<std::int64_t>::max();
  DataPatternOptions data;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: finish and report
  IoRecorder* recorder = nullptr;           // not started; finish() is left to its owner
};

// Blocks until done. Throws Error when the replay cannot be started; what goes wrong afterwards is
// in the result.
[[nodiscard]] ReplayResult replay(RecordSource& source, std::span<const Target> targets,
                                  const ReplayOptions& options);

}  // namespace rigel
