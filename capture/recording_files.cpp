#include "capture/recording_files.hpp"

#include <utility>

#include "traces/byte_sink.hpp"

namespace rigel {
namespace {

// What a killed recorder loses at most.
constexpr std::int64_t kSafeNs = 2'000'000'000;

}  // namespace

// Bytes on their way to a file, counted.
class RecordingFiles::CountingSink final : public ByteSink {
 public:
  CountingSink(std::unique_ptr<ByteSink> to, std::atomic<std::uint64_t>& bytes)
      : to_{std::move(to)}, bytes_{bytes} {}
  void write(std::span<const std::byte> bytes) override {
    to_->write(bytes);
    bytes_ += bytes.size();
  }
  void close() override { to_->close(); }
  const std::string& name() const override { return to_->name(); }

 private:
  std::unique_ptr<ByteSink> to_;
  std::atomic<std::uint64_t>& bytes_;
};

RecordingFiles::RecordingFiles(RecordingFilesOptions options) : options_{std::move(options)} {
  if (options_.is_numbered || options_.rotate_bytes != 0 || options_.rotate_ns != 0) {
    names_.emplace(options_.path, options_.keep);
  }
  open(0);
}

RecordingFiles::~RecordingFiles() = default;

void RecordingFiles::open(std::size_t first_loss) {
  path_ = names_ ? names_->next() : options_.path;
  TraceWriterOptions options;
  options.first_loss = first_loss;
  writer_ = std::make_unique<TraceWriter>(
      std::make_unique<CountingSink>(create_file(path_), bytes_), options);
  if (names_) names_->remove_old();
}

bool RecordingFiles::is_full(std::int64_t now_ns) const {
  return (options_.rotate_bytes != 0 && bytes_ - file_begin_bytes_ >= options_.rotate_bytes) ||
         (options_.rotate_ns != 0 && now_ns - file_begin_ns_ >= options_.rotate_ns);
}

void RecordingFiles::write(const RecordBatch& batch, const TraceTables& tables) {
  writer_->write(batch, tables);
}

void RecordingFiles::tick(std::int64_t now_ns, const TraceTables& tables) {
  if (is_full(now_ns)) {
    writer_->finish(tables);
    file_begin_bytes_ = bytes_;
    file_begin_ns_ = safe_ns_ = now_ns;
    open(tables.losses.size());
  } else if (now_ns - safe_ns_ >= kSafeNs) {
    safe_ns_ = now_ns;
    writer_->flush(tables);
  }
}

void RecordingFiles::finish(const TraceTables& tables) {
  writer_->finish(tables);
}

}  // namespace rigel
