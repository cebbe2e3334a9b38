// Runs the points of an ORION run: keeps so many small and so many large I/Os outstanding on the
// LUNs for so long, and measures them.
//
// A closed loop: whenever an I/O completes, the next of its kind is issued. The figures of a point
// begin once everything that was started first has been answered, and end with the point's time, so
// that the I/Os cut off at either end weigh each other out and Little's law holds of what remains.
// One thread, the one that attached the engine. Between the first I/O and the last nothing throws;
// failed I/Os are counted by errno.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "replay/data_pattern.hpp"
#include "replay/io_engine.hpp"
#include "replay/io_recorder.hpp"
#include "replay/orion_plan.hpp"
#include "replay/orion_volume.hpp"
#include "replay/replay_clock.hpp"
#include "traces/orion_files.hpp"

namespace rigel {

struct OrionRunOptions {
  std::uint64_t seed = 0;
  bool no_repeat = false;
  const std::atomic<bool>* stop = nullptr;  // finish the point under way at once
  // Told of every I/O; the record's device is the LUN's index.
  RecordingLane* recording = nullptr;
};

// What completed in one second of a point, the unmeasured ends included.
struct OrionSecond {
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::int64_t latency_sum_ns = 0;
  std::int64_t latency_max_ns = 0;
};

struct OrionPointResult {
  OrionMeasuredPoint measured;
  std::vector<OrionSecond> seconds;
  std::uint64_t issued = 0;  // in all, the unmeasured ones included
  std::uint64_t random_small_reads = 0;
  std::map<int, std::uint64_t> errors;
  bool stopped = false;
};

class OrionRunner {
 public:
  // All of these must outlive the runner.
  OrionRunner(const OrionParameters& parameters, const OrionVolume& volume, IoEngine& engine,
              ReplayClock& clock, const DataPattern& pattern, OrionRunOptions options);

  // `number` tells points of a run apart: each draws offsets of its own.
  [[nodiscard]] OrionPointResult run_point(OrionPoint point, std::uint32_t number);
  // As many I/Os as may ever be outstanding in a run of these points, the warming included.
  [[nodiscard]] static std::uint32_t most_outstanding(const OrionParameters& parameters,
                                                      std::span<const OrionPoint> points);
  // Unmeasured random large I/Os before a sequential point, so that it does not find in the cache
  // what the last one read: for two minutes, or until as many bytes have been moved as the cache
  // has. Writes where the point will write.
  [[nodiscard]] OrionPointResult warm_cache(std::uint32_t number);

 private:
  const OrionParameters& parameters_;
  const OrionVolume& volume_;
  IoEngine& engine_;
  ReplayClock& clock_;
  const DataPattern& pattern_;
  OrionRunOptions options_;
};

}  // namespace rigel
