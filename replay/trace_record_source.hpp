// A trace as the I/O of a replay: which of its records are issued, when, and where to.
//
// Times are taken from the record's start (IoRecord::start_ns) relative to the trace's first
// record, whether that one is issued or not, so leaving records out never changes when the rest is
// due. Stamps that go backwards are taken to be as late as the latest one before them: the file's
// order is kept. A trace that is repeated starts again one mean gap after its last record.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "replay/address_map.hpp"
#include "replay/rate_plan.hpp"
#include "replay/record_source.hpp"
#include "replay/stream_dependence.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct TraceReplayOptions {
  ReplayTiming timing = ReplayTiming::kOriginal;
  double speed = 1;              // 10: ten times as fast as recorded; kDependent: think times only
  std::optional<RatePlan> rate;  // instead of speed
  std::uint64_t loops = 1;       // how often the trace is gone through
  std::int64_t duration_ns = std::numeric_limits<std::int64_t>::max();  // nothing is due after this
  std::int64_t shift_ns = 0;                                            // added to every due time
  bool writes = false;       // issue writes, discards, zeroes and flushes too
  unsigned copies = 1;       // every I/O this many times, as if from as many hosts
  bool own_regions = false;  // each copy in its region of the address map
};

// The columns that a replay needs.
[[nodiscard]] ColumnSet replay_columns();

class TraceRecordSource final : public RecordSource {
 public:
  // Opens the trace, from its beginning each time; called from the thread that reads, but for the
  // first time.
  using Opener = std::function<std::unique_ptr<TraceSource>()>;

  // Reads the trace's beginning. Throws Error when it cannot be read, or lacks the times that the
  // timing needs.
  TraceRecordSource(Opener opener, AddressMap map, TraceReplayOptions options);

  std::size_t next(std::span<PlannedIo> into) override;
  [[nodiscard]] const Tally& tally() const override { return tally_; }
  [[nodiscard]] const std::vector<std::string>& roles() const override { return roles_; }
  void add_streams(TraceTables& tables) const override;

 private:
  [[nodiscard]] bool next_batch();
  void refuse_without_times() const;
  void learn_tables();
  void end_pass();
  void measure_pattern();
  void note_time(const IoRecord& record);
  // False when nothing more is due.
  [[nodiscard]] bool set_due_time(const IoRecord& record, PlannedIo& io);
  [[nodiscard]] std::int64_t at_speed(std::int64_t recorded_ns) const;
  void set_dependence(const IoRecord& record, PlannedIo& io);
  // False when it is not to be issued; then it has been tallied.
  [[nodiscard]] bool plan(const IoRecord& record, PlannedIo& io);
  void make_copy(const PlannedIo& first, unsigned copy, PlannedIo& io) const;

  Opener opener_;
  AddressMap map_;
  TraceReplayOptions options_;
  std::unique_ptr<TraceSource> trace_;
  RecordBatch batch_;
  std::size_t row_ = 0;
  unsigned copy_ = 0;  // of `planned_` that is handed out next; 0: the next record's turn
  PlannedIo planned_;
  IoRecord planned_record_;
  bool ended_ = false;
  std::uint64_t pass_ = 0;
  std::uint64_t records_of_pass_ = 0;
  std::uint64_t planned_of_pass_ = 0;
  std::int64_t pass_start_ns_ = 0;       // when this pass began, in recorded time
  std::optional<std::int64_t> base_ns_;  // of the first record of this pass that has a time
  std::int64_t latest_ns_ = 0;
  double issued_per_ns_ = 0;  // of recorded time: for RatePlan
  StreamDependence dependence_;
  std::vector<std::uint8_t> stream_roles_;
  mutable std::mutex streams_mutex_;
  std::vector<StreamInfo> streams_;  // of the trace; guarded by streams_mutex_
  std::vector<std::string> roles_{""};
  Tally tally_;
};

// Several sources as one, in order of their due times: copies of a workload shifted in time.
class MergedRecordSource final : public RecordSource {
 public:
  // At least one; their roles must be the same.
  explicit MergedRecordSource(std::vector<std::unique_ptr<RecordSource>> sources);
  std::size_t next(std::span<PlannedIo> into) override;
  [[nodiscard]] const Tally& tally() const override { return tally_; }
  [[nodiscard]] const std::vector<std::string>& roles() const override;
  void add_streams(TraceTables& tables) const override;

 private:
  struct Cursor {
    std::unique_ptr<RecordSource> source;
    std::vector<PlannedIo> ios;
    std::size_t at = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] static bool fill(Cursor& cursor);
  void sum_up();
  std::vector<Cursor> cursors_;
  Tally tally_;
};

}  // namespace rigel
