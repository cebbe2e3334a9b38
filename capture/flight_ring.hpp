// A flight recorder: the last minutes of a recording, compressed in memory, written to a file when
// somebody asks or an I/O takes too long. Memory: what the records of that time take in a file.
// request() may come from a signal handler; all else from the writing thread. Throws as a file
// does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "capture/numbered_files.hpp"
#include "capture/recording_sink.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {

struct FlightRingOptions {
  std::int64_t span_ns = 0;     // how much is kept
  std::int64_t trigger_ns = 0;  // an I/O that takes this long has it written; 0: none
  std::string path;             // of the files, which are numbered
  std::size_t keep = 0;         // files; 0: all
};

class FlightRing final : public RecordingSink {
 public:
  // `written` is told of each file, with the number of records in it.
  using Written = std::function<void(const std::string& path, std::uint64_t records)>;
  FlightRing(FlightRingOptions options, Written written);
  ~FlightRing() override;

  void request() { is_requested_ = true; }

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables& tables) override;

 private:
  // A stretch of the recording, a trace of its own in memory.
  struct Segment {
    std::int64_t begin_ns = 0;
    std::vector<std::byte> bytes;
  };
  void begin_segment(std::int64_t now_ns);
  void dump(const TraceTables& tables);

  FlightRingOptions options_;
  Written written_;
  NumberedFiles names_;
  std::deque<Segment> segments_;  // the last one is being written
  std::unique_ptr<TraceWriter> writer_;
  std::atomic<bool> is_requested_{false};
  bool was_slow_ = false;
  std::int64_t quiet_until_ns_ = 0;  // slow I/Os count again from here on
};

}  // namespace rigel
