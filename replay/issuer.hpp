// Issues the I/O of some targets from one thread, each at its time (open loop), when its stream
// gets to it (dependent) or as soon as another one completes (closed loop), and measures it.
//
// The issuer owns neither queues, engine, table nor clock. run() returns when all queues are
// finished and everything in flight has come back, or after a stop. Between the first I/O and the
// last, nothing throws and nothing is allocated, save pool growth when a size class first appears
// or deepens.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "replay/data_pattern.hpp"
#include "replay/io_engine.hpp"
#include "replay/io_queue.hpp"
#include "replay/io_recorder.hpp"
#include "replay/latency_table.hpp"
#include "replay/pacer.hpp"
#include "replay/replay_clock.hpp"
#include "replay/stream_scheduler.hpp"
#include "replay/target_activity.hpp"
#include "replay/write_verifier.hpp"
#include "traces/latency_histogram.hpp"

namespace rigel {

struct IssuerOptions {
  // kDependent: one issuer has all targets, and they share one queue.
  ReplayTiming timing = ReplayTiming::kOriginal;
  std::uint32_t depth = 4096;
  SpinMode spin = SpinMode::kAuto;
  std::int64_t warm_up_ns = 0;  // I/Os due (closed loop: issued) before this are not measured
  std::int64_t stop_at_ns = std::numeric_limits<std::int64_t>::max();  // nothing is issued after
  const std::atomic<bool>* stop = nullptr;
  std::atomic<bool>* failed =
      nullptr;                         // set by the first I/O that fails, and then heeded as a stop
  RecordingLane* recording = nullptr;  // told of every I/O; for targets x depth slots
};

struct IssuerTarget {
  IoQueue* queue = nullptr;
  TargetActivity* activity = nullptr;
  std::uint16_t index = 0;            // PlannedIo::target of everything in the queue
  WriteVerifier* verifier = nullptr;  // stamps what is written and checks what is read
};

// Why I/Os were issued late, as far as rigel can tell: each one is counted once.
struct Delays {
  std::uint64_t depth_limit = 0;  // as many as --depth allows were outstanding
  std::uint64_t buffers = 0;      // no memory for another buffer
  std::uint64_t read_ahead = 0;   // the trace was not read fast enough
  std::uint64_t host = 0;         // none of these: the issuing thread did not run in time
};

struct IssuerResult {
  std::uint64_t issued = 0;
  std::uint64_t completed = 0;
  std::uint64_t completed_bytes = 0;
  std::uint64_t measured = 0;
  std::uint64_t measured_bytes = 0;
  std::uint64_t short_transfers = 0;  // moved fewer bytes than asked for
  std::uint64_t not_issued = 0;       // still queued when the replay was stopped
  std::uint64_t abandoned = 0;        // in flight when waiting for them was given up
  std::uint64_t reordered = 0;        // issued after one that was due later
  std::map<int, std::uint64_t> errors;
  int first_error = 0;  // errno; 0: none
  IoOp first_error_op = IoOp::kRead;
  std::uint16_t first_error_target = 0;
  Delays delays;
  LatencyHistogram slip;           // issued minus due
  LatencyHistogram recorded_gaps;  // between consecutive due times
  LatencyHistogram issued_gaps;    // between consecutive issue times
  std::int64_t first_due_ns = 0;   // as planned, in closed loop too
  std::int64_t last_due_ns = 0;
  std::int64_t first_issue_ns = 0;
  std::int64_t last_issue_ns = 0;
  std::int64_t last_complete_ns = 0;
  std::int64_t submit_max_ns = 0;  // the longest that the kernel kept the thread in a submission
  std::int64_t slept_ns = 0;
  std::uint32_t most_outstanding = 0;
  int engine_error = 0;  // errno that ended issuing early
};

class Issuer {
 public:
  // Lateness from which an I/O counts as delayed.
  static constexpr std::int64_t kLateNs = 1'000'000;
  // After a stop, what is in flight is waited for this long.
  static constexpr std::int64_t kDrainAfterStopNs = 5'000'000'000;

  Issuer(std::span<const IssuerTarget> targets, const IssuerOptions& options, IoEngine& engine,
         LatencyTable& table, const DataPattern& pattern, ReplayClock& clock);

  // `start_ns` is the clock's time of due_ns = 0. The engine is attached.
  [[nodiscard]] IssuerResult run(std::int64_t start_ns);

 private:
  // 32 bytes for each I/O in flight; offset and flags have gone to the kernel.
  struct InFlight {
    std::int64_t due_ns;
    std::int64_t issue_ns;
    std::uint32_t length_bytes;
    std::uint32_t recorded_service_ns;
    BufferRef buffer;
    std::uint16_t cell;
    std::uint16_t target;  // index into targets_
  };
  static_assert(sizeof(InFlight) == 32);

  enum class Hold : std::uint8_t { kNone, kDepth, kBuffers, kReadAhead };
  struct TargetState {
    IssuerTarget target;
    std::uint32_t in_flight = 0;
    Hold hold = Hold::kNone;  // what has kept its next I/O back
  };

  [[nodiscard]] std::int64_t now() noexcept { return clock_.now_ns() - start_ns_; }
  [[nodiscard]] bool is_closed_loop() const { return options_.timing == ReplayTiming::kFlatOut; }
  [[nodiscard]] TargetState* pick(std::int64_t now_ns) noexcept;
  [[nodiscard]] TargetState* pick_stream(std::int64_t now_ns) noexcept;
  void take_next(TargetState& state, std::int64_t now_ns) noexcept;
  [[nodiscard]] unsigned fill_batch(std::int64_t now_ns) noexcept;
  [[nodiscard]] bool add_to_batch(TargetState& state, const PlannedIo& io,
                                  std::int64_t now_ns) noexcept;
  void hand_over(std::int64_t now_ns) noexcept;
  void account_issue(unsigned in_batch, std::int64_t issue_ns) noexcept;
  void record_issue(unsigned in_batch, std::int64_t issue_ns) noexcept;
  void note_delay(Hold hold, std::int64_t slip_ns) noexcept;
  void reap() noexcept;
  void account_completion(const IoCompletion& completion, std::int64_t now_ns) noexcept;
  void rest(std::int64_t now_ns) noexcept;
  void sleep_in_kernel(std::int64_t now_ns, std::int64_t sleep_ns, bool to_deadline) noexcept;
  [[nodiscard]] unsigned completions_worth_waiting_for() const noexcept;
  [[nodiscard]] bool stopping(std::int64_t now_ns) noexcept;
  [[nodiscard]] bool finished() noexcept;
  [[nodiscard]] bool starved() noexcept;
  void verify_issue(const TargetState& state, const IoRequest& request) noexcept;
  void verify_completion(const IoCompletion& completion) noexcept;
  void note_failure(const TargetState& state, IoOp op, int error) noexcept;

  std::vector<TargetState> targets_;
  IssuerOptions options_;
  IoEngine& engine_;
  LatencyTable& table_;
  const DataPattern& pattern_;
  ReplayClock& clock_;
  Pacer pacer_;
  std::optional<StreamScheduler> streams_;  // kDependent
  std::int64_t start_ns_ = 0;

  std::vector<InFlight> slots_;
  std::vector<std::uint32_t> free_slots_;
  struct Verified {
    std::uint64_t offset_bytes;
    std::uint32_t mark;  // of WriteVerifier
  };
  std::vector<Verified> verified_;  // by slot; empty unless there is a verifier
  std::array<std::uint32_t, IoEngine::kMaxBatch> batch_;
  std::array<Hold, IoEngine::kMaxBatch> batch_holds_;
  std::array<PlannedIo, IoEngine::kMaxBatch> batch_ios_;  // filled for the recording only
  unsigned batch_size_ = 0;
  std::uint32_t in_flight_ = 0;
  const PlannedIo* next_ = nullptr;  // what pick() chose
  std::int64_t next_due_ns_ = 0;     // of what may be issued next; max when nothing may
  std::int64_t stop_seen_ns_ = -1;
  std::int64_t newest_due_ns_ = 0;
  std::int64_t previous_due_ns_ = 0;
  std::uint64_t writes_ = 0;
  double completions_per_ns_ = 0;  // running estimate, for batching in closed loop
  std::int64_t last_reap_ns_ = 0;
  std::array<std::uint64_t, 256> errors_{};  // by errno
  IssuerResult result_;
};

}  // namespace rigel
