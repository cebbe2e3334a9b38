// The .rgt file of `rigel orion --record`: every I/O of the run as the engine saw it.
// Blocks are encoded by a thread of their own, so that the I/O loop only copies records.
// add() and finish() belong to one thread; finish() throws Error when the file could not be
// written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "traces/orion_files.hpp"
#include "traces/record_batch.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {

class OrionRecording {
 public:
  // Creates the file; `start_ns` is the time of the engine's clock that becomes the trace's 0.
  OrionRecording(const std::string& path, const OrionReport& report, std::int64_t start_ns);
  ~OrionRecording();
  OrionRecording(const OrionRecording&) = delete;
  OrionRecording& operator=(const OrionRecording&) = delete;

  void add(const IoRecord& record);
  void finish();

 private:
  void hand_over();
  void write_batches();
  void end_thread();

  static constexpr std::size_t kBatchRecords = 16384;
  static constexpr std::size_t kMostWaiting = 64;  // batches; past that add() waits for the disk

  TraceWriter writer_;
  TraceTables tables_;
  std::int64_t start_ns_;
  RecordBatch filling_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RecordBatch> waiting_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace rigel
