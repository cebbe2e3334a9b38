// A recording in a file, or in one file after another, each a trace of its own with the times of
// the whole. What was written is made safe every two seconds, and at the end of each file.
// The constructor creates the (first) file; it and all calls throw Error naming the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/numbered_files.hpp"
#include "capture/recording_sink.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {

struct RecordingFilesOptions {
  std::string path;  // "-": standard output
  // When a file is followed by the next, whichever comes first; neither: one file, named `path`
  // itself unless `is_numbered`.
  std::uint64_t rotate_bytes = 0;
  std::int64_t rotate_ns = 0;
  std::size_t keep = 0;  // of the numbered files, the newest; 0: all
  bool is_numbered = false;
};

class RecordingFiles final : public RecordingSink {
 public:
  explicit RecordingFiles(RecordingFilesOptions options);
  ~RecordingFiles() override;

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables& tables) override;

  // Written so far to all files; for any thread.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The file being written.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  class CountingSink;
  void open(std::size_t first_loss);
  [[nodiscard]] bool is_full(std::int64_t now_ns) const;

  RecordingFilesOptions options_;
  std::optional<NumberedFiles> names_;
  std::string path_;
  std::unique_ptr<TraceWriter> writer_;
  std::atomic<std::uint64_t> bytes_{0};
  std::uint64_t file_begin_bytes_ = 0;
  std::int64_t file_begin_ns_ = 0;
  std::int64_t safe_ns_ = 0;
};

}  // namespace rigel
