// The .rgt file of --record: what a replay or an ORION run issued, as a trace.
//
//   RunTraceFile file{path, meta, targets};           // creates it; throws Error
//   … file.recorder() is used by the run …
//   file.finish();                                    // throws Error when it could not be written
#pragma once

#include <functional>
#include <span>
#include <string>

#include "replay/io_recorder.hpp"
#include "replay/target.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {

class RunTraceFile {
 public:
  // Records name `targets` as their devices. `add_streams`: see RunRecording.
  RunTraceFile(const std::string& path, TraceMeta meta, std::span<const Target> targets,
               std::function<void(TraceTables&)> add_streams = {});

  [[nodiscard]] IoRecorder& recorder() { return recorder_; }
  // A warning on standard error says what the file lacks.
  void finish();

 private:
  std::string path_;
  TraceWriter writer_;
  IoRecorder recorder_;
};

}  // namespace rigel
