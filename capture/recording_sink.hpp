// Where the records of a recording go: files, a ring in memory, a table on the terminal.
// All calls come from the recording's writing thread, but for finish(). Times are of the trace, in
// ns since its start. Whatever a sink throws ends the recording.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/trace_sink.hpp"

namespace rigel {

class RecordingSink : public TraceSink {
 public:
  // Comes several times a second, also when there is no I/O: `now_ns` is how far the recording is.
  virtual void tick(std::int64_t now_ns, const TraceTables& tables) = 0;
};

// Several of them, which must outlive it.
class RecordingSinks final : public RecordingSink {
 public:
  void add(RecordingSink& sink) { sinks_.push_back(&sink); }

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    for (RecordingSink* sink : sinks_) sink->write(batch, tables);
  }
  void tick(std::int64_t now_ns, const TraceTables& tables) override {
    for (RecordingSink* sink : sinks_) sink->tick(now_ns, tables);
  }
  void finish(const TraceTables& tables) override {
    for (RecordingSink* sink : sinks_) sink->finish(tables);
  }

 private:
  std::vector<RecordingSink*> sinks_;
};

}  // namespace rigel
