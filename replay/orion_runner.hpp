// Runs the points of an ORION run: keeps so many small and so many large I/Os outstanding on the
// LUNs for so long, and measures them.
//
// A point's lanes are shared out among threads_of(point) issuing threads (orion_lanes.hpp), each
// with an engine of its own: a ring's I/O that cannot be started without blocking is done by one
// kernel worker at a time, and a fast device does more than one CPU can issue. The threads start
// together, and what they measured (orion_loop.hpp) is added up. They live as long as the point.
// Between the first I/O and the last nothing throws; failed I/Os are counted by errno.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "replay/data_pattern.hpp"
#include "replay/io_engine.hpp"
#include "replay/io_recorder.hpp"
#include "replay/orion_loop.hpp"
#include "replay/orion_plan.hpp"
#include "replay/orion_volume.hpp"
#include "replay/replay_clock.hpp"

namespace rigel {

struct OrionRunOptions {
  std::uint64_t seed = 0;
  bool no_repeat = false;
  std::uint32_t cpus = 1;                   // at most so many threads issue
  const std::atomic<bool>* stop = nullptr;  // finish the point under way at once
  // One for each thread that a point may have, for most_outstanding() slots each; empty: no
  // recording. Told of every I/O; the record's device is the LUN's index.
  std::vector<RecordingLane*> recording;
};

class OrionRunner {
 public:
  // A new engine for issuing thread number `thread`, which attaches it and has it to itself for one
  // point or warming. The caller owns it. Called before there are threads; may throw.
  using MakeEngine = std::function<IoEngine&(std::uint32_t thread, std::uint32_t most_outstanding)>;

  // All of these must outlive the runner.
  OrionRunner(const OrionParameters& parameters, const OrionVolume& volume, MakeEngine make_engine,
              ReplayClock& clock, const DataPattern& pattern, OrionRunOptions options);

  // `number` tells points of a run apart: each draws offsets of its own. Throws what kept a thread
  // from starting.
  [[nodiscard]] OrionPointResult run_point(OrionPoint point, std::uint32_t number);
  // As many I/Os as may ever be outstanding in a run of these points, the warming included.
  [[nodiscard]] static std::uint32_t most_outstanding(const OrionParameters& parameters,
                                                      std::span<const OrionPoint> points);
  // As many threads as any of these points has.
  [[nodiscard]] static std::uint32_t most_threads(const OrionParameters& parameters,
                                                  std::span<const OrionPoint> points,
                                                  std::uint32_t cpus);
  // Unmeasured random large I/Os before a sequential point, so that it does not find in the cache
  // what the last one read: for two minutes, or until as many bytes have been moved as the cache
  // has. Writes where the point will write. One thread issues them.
  [[nodiscard]] OrionPointResult warm_cache(std::uint32_t number);

 private:
  using Lanes = std::vector<OrionLanes>;  // of each thread
  [[nodiscard]] OrionPointResult run(Lanes& lanes, OrionLoop::Ends ends);

  const OrionParameters& parameters_;
  const OrionVolume& volume_;
  MakeEngine make_engine_;
  ReplayClock& clock_;
  const DataPattern& pattern_;
  OrionRunOptions options_;
};

}  // namespace rigel
