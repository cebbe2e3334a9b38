// What a run issued, as a trace in order of issue, without the issuing threads ever waiting for it.
//
// Every issuing thread tells its own RecordingLane, a ring that nobody else writes, of each I/O
// twice: when it was issued and when it completed. The recorder's own thread takes both out of the
// rings, brings them together by the I/O's slot, puts the lanes in one order and hands the records
// to a TraceSink, which is flushed every two seconds so that a crash leaves the rest readable.
//
// Memory is bounded. An issue that finds no room in its lane's ring is not recorded but counted,
// and becomes a loss of the trace. An I/O that stays in flight while kWindowRecords others are
// waiting behind it is set aside and written, out of order, when it completes.
//
// Lanes are made before start(), each is used by one thread until finish(). finish() throws what
// the sink threw; a lane never throws.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "traces/missing_records.hpp"
#include "traces/trace_sink.hpp"

namespace rigel {

class RecordingLane {
 public:
  // `slots`: as many I/Os may be in flight, each known by a number below it.
  explicit RecordingLane(std::uint32_t slots);

  // Times are the engine's clock's, and the issue times of a lane never decrease. Of `io`, all but
  // the completion and the status count.
  void issued(std::uint32_t slot, const IoRecord& io) noexcept;
  void completed(std::uint32_t slot, std::int64_t complete_ns, std::int32_t status) noexcept;
  // Nothing will be issued before `now_ns`: lets the records of other lanes go on.
  void passed(std::int64_t now_ns) noexcept { passed_ns_.store(now_ns, std::memory_order_release); }

 private:
  friend class IoRecorder;
  enum class Kind : std::uint8_t { kIssued, kCompleted };
  struct Event {
    std::int64_t at_ns;
    std::uint64_t offset_bytes;
    std::uint32_t slot;
    std::uint32_t length_bytes;
    std::uint32_t stream;
    std::uint32_t flags;
    std::int32_t status;
    std::uint16_t device;
    IoOp op;
    Kind kind;
  };
  static_assert(sizeof(Event) == 40);
  static constexpr std::size_t kRingEvents = std::size_t{1} << 16;

  std::vector<Event> ring_;
  std::size_t mask_;
  std::size_t under_way_ = 0;      // recorded I/Os in flight: room for their completions is kept
  std::vector<bool> is_recorded_;  // by slot
  alignas(64) std::atomic<std::size_t> head_{0};
  std::atomic<std::int64_t> passed_ns_{std::numeric_limits<std::int64_t>::min()};
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::int64_t> first_lost_ns_{0};
  std::atomic<std::int64_t> last_lost_ns_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

// Where the records of a run go.
struct RunRecording {
  TraceSink* sink = nullptr;
  // Makes safe what was written; may be empty.
  std::function<void(const TraceTables&)> flush;
  // Adds the streams that records may name by now; called on the recorder's thread; may be empty.
  std::function<void(TraceTables&)> add_streams;
  TraceTables tables;  // with the devices that records name
};

class IoRecorder {
 public:
  static constexpr std::size_t kWindowRecords = std::size_t{1} << 17;
  // Of the records: when (queue is not known), what, where, who, and how it ended.
  [[nodiscard]] static ColumnSet columns();

  explicit IoRecorder(RunRecording recording);
  ~IoRecorder();  // without finish(): ends the thread, and the trace is what was flushed
  IoRecorder(const IoRecorder&) = delete;
  IoRecorder& operator=(const IoRecorder&) = delete;

  // The recorder owns it.
  [[nodiscard]] RecordingLane& add_lane(std::uint32_t slots);
  // `start_ns`, of CLOCK_MONOTONIC, becomes the trace's 0.
  void start(std::int64_t start_ns);
  // Once no lane is used any more: writes what is left. I/Os that never completed are marked as in
  // flight at the end. Throws what went wrong with the sink.
  void finish();

  // After finish().
  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] std::uint64_t lost() const {
    return missing_records(recording_.tables).in_recording;
  }
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  struct Open {
    IoRecord record;
    std::uint32_t slot = 0;
    bool complete = false;
  };
  // A lane's records that are not written yet, in order of issue.
  struct Window {
    std::unique_ptr<RecordingLane> lane;
    std::deque<Open> open;
    std::uint64_t first = 0;                           // number of open.front()
    std::vector<std::uint64_t> number_of;              // by slot: of the I/O that uses it
    std::unordered_map<std::uint32_t, IoRecord> late;  // by slot: set aside
    std::int64_t passed_ns = 0;
  };

  void run() noexcept;
  [[nodiscard]] bool take_events(Window& window);
  void take(Window& window, const RecordingLane::Event& event);
  void write_what_is_ordered();
  [[nodiscard]] Window* earliest();
  void set_oldest_aside();
  void write_rest();
  void append(const IoRecord& record);
  void write_batch();
  void flush_now_and_then();
  void end_thread();
  [[nodiscard]] std::size_t window_records() const;

  RunRecording recording_;
  std::vector<Window> windows_;
  RecordBatch batch_;
  std::int64_t start_ns_ = 0;
  std::int64_t flushed_ns_ = 0;
  std::int64_t newest_ns_ = std::numeric_limits<std::int64_t>::min();  // issue time written
  std::uint64_t records_ = 0;
  std::uint64_t out_of_order_ = 0;
  std::atomic<bool> ended_{false};
  std::exception_ptr failure_;  // of the thread; read after it
  std::thread thread_;
};

}  // namespace rigel
