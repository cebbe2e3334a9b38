// One issuing thread's share of a point of an ORION run: keeps its lanes outstanding and measures
// them.
//
// A closed loop: whenever an I/O completes, the lane's next is issued. Each lane is measured from
// its first answer to its first one after the point's time; until every lane has got there all of
// them go on, so that the load stays what it is. The measured latencies of a lane then fill its
// measured time but for what the thread needs to issue the next I/O, and their mean is that of a
// whole number of renewals ended by a stopping time, which is without bias (A. Wald, "On cumulative
// sums of random variables", Annals of Mathematical Statistics 15, 1944): with seconds as the mean
// time of the lanes, IOPS x mean latency = lanes, however long the I/Os are that the point's ends
// cut. Used by one thread, the one that attached the engine. Nothing throws but for want of memory;
// failed I/Os are counted by errno.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "replay/data_pattern.hpp"
#include "replay/io_engine.hpp"
#include "replay/io_recorder.hpp"
#include "replay/orion_lanes.hpp"
#include "replay/replay_clock.hpp"
#include "traces/orion_files.hpp"

namespace rigel {

// What completed in one second of a point, the unmeasured ends included.
struct OrionSecond {
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::int64_t latency_sum_ns = 0;
  std::int64_t latency_max_ns = 0;
};

// Of a point, or of a thread's share of it. Of a share, the measured seconds are those of all its
// lanes together.
struct OrionPointResult {
  OrionMeasuredPoint measured;
  std::vector<OrionSecond> seconds;
  std::uint64_t issued = 0;  // in all, the unmeasured ones included
  std::uint64_t random_small_reads = 0;
  std::map<int, std::uint64_t> errors;
  bool stopped = false;

  void merge(const OrionPointResult& share);
};

class OrionLoop {
 public:
  struct Ends {
    std::int64_t duration_ns = 0;
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();  // moved, by this thread
    const std::atomic<bool>* stop = nullptr;                          // at once
    std::atomic<bool>* failed = nullptr;  // by any thread of the point: set and heeded
  };
  // `recording`: told of every I/O is the first; all hear how time passes. May be empty.
  OrionLoop(OrionLanes& lanes, IoEngine& engine, ReplayClock& clock, const DataPattern& pattern,
            std::span<RecordingLane* const> recording);

  // From `begin_ns` on, until one of its ends and every I/O has been answered.
  [[nodiscard]] OrionPointResult run(std::int64_t begin_ns, const Ends& ends);

 private:
  struct Lane {
    IoRequest request;
    std::int64_t issue_ns = 0;
    std::int64_t first_answer_ns = -1;
    std::int64_t last_answer_ns = 0;  // of those that are measured
    bool measured = false;            // to its end
  };

  [[nodiscard]] bool goes_on(std::int64_t now_ns) const;
  void issue();
  [[nodiscard]] bool prepare(std::uint32_t lane);
  void wait(std::int64_t timeout_ns);
  void reap(bool measure);
  void complete(const IoCompletion& completion, std::int64_t now_ns, bool measure);
  void measure(Lane& lane, bool small, bool failed, std::int64_t now_ns);
  void count_in_second(const Lane& lane, std::int64_t now_ns);
  void add_measured_time();
  void record(std::uint32_t lane) const;
  void time_passes(std::int64_t now_ns) const;
  void fail(int error);
  void drain(std::int64_t give_up_ns);

  OrionLanes& lanes_;
  IoEngine& engine_;
  ReplayClock& clock_;
  const DataPattern& pattern_;
  std::span<RecordingLane* const> recording_;
  Ends ends_;
  OrionPointResult result_;
  std::vector<Lane> state_;  // by lane
  std::vector<std::uint32_t> idle_;
  std::array<std::uint32_t, IoEngine::kMaxBatch> batch_{};
  std::uint32_t in_flight_ = 0;
  std::uint32_t unmeasured_;  // lanes that are not measured to their end
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t writes_ = 0;
  int failure_ = 0;  // errno that ended the point
};

}  // namespace rigel
