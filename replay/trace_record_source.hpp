// A trace as the I/O of a replay: which of its records are issued, when, and where to.
// Times are taken from the record's start (IoRecord::start_ns) relative to the trace's first
// record, whether that one is issued or not, so a filter never changes when the rest is due. Stamps
// that go backwards are taken to be as late as the latest one before them: the file's order is
// kept.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/address_map.hpp"
#include "replay/record_source.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct TraceReplayOptions {
  bool timed = true;                      // false: due times do not matter (closed loop)
  double speed = 1;                       // 10: ten times as fast as recorded
  bool writes = false;                    // issue writes, discards, zeroes and flushes too
  std::vector<std::string> only_devices;  // empty: all
};

// The columns that a replay needs.
[[nodiscard]] ColumnSet replay_columns();

class TraceRecordSource final : public RecordSource {
 public:
  TraceRecordSource(std::unique_ptr<TraceSource> trace, AddressMap map, TraceReplayOptions options);

  std::size_t next(std::span<PlannedIo> into) override;
  [[nodiscard]] const Tally& tally() const override { return tally_; }
  [[nodiscard]] const std::vector<std::string>& roles() const override { return roles_; }

 private:
  void learn_tables();
  [[nodiscard]] std::int64_t due_time(std::int64_t start_ns);
  [[nodiscard]] const char* left_out(const IoRecord& record) const;
  // False when it is not to be issued; then it has been tallied.
  [[nodiscard]] bool plan(const IoRecord& record, PlannedIo& io);

  std::unique_ptr<TraceSource> trace_;
  AddressMap map_;
  TraceReplayOptions options_;
  RecordBatch batch_;
  std::size_t row_ = 0;
  bool started_ = false;
  std::int64_t base_ns_ = 0;
  std::int64_t latest_ns_ = 0;
  std::vector<bool> device_wanted_;
  std::vector<std::uint8_t> stream_roles_;
  std::vector<std::string> roles_{""};
  Tally tally_;
};

}  // namespace rigel
