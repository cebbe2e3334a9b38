// fio's iolog, version 3: "time file action [offset length]", times in microseconds. Holds the
// start of each I/O, device, offset, length and read, write, trim or sync. Write-zeroes becomes a
// write; other operations are left out; negative times become 0. A device without a path in its
// name is written as /dev/<name>, for fio opens what it finds there.
#include <fmt/format.h>

#include <algorithm>

#include "traces/error.hpp"
#include "traces/exporters/exporter_list.hpp"
#include "traces/exporters/text_output.hpp"

namespace rigel {
namespace {

std::string_view action_of(IoOp op) {
  switch (op) {
    case IoOp::kRead:
      return "read";
    case IoOp::kWrite:
    case IoOp::kWriteZeroes:
      return "write";
    case IoOp::kFlush:
      return "sync";
    case IoOp::kDiscard:
      return "trim";
    case IoOp::kOther:
      break;
  }
  return {};
}

std::string path_of(const TraceTables& tables, std::uint32_t device) {
  std::string path = device_label(tables, device);
  std::replace(path.begin(), path.end(), ' ', '_');
  return path.find('/') == std::string::npos ? "/dev/" + path : path;
}

class FioIologSink final : public TraceSink {
 public:
  explicit FioIologSink(const std::string& path) : out_{create_file(path)} {
    out_.text("fio version 3 iolog");
    out_.line_done();
  }

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const IoRecord record = batch.record(row);
      const std::string_view action = action_of(record.op);
      if (action.empty()) continue;
      // Unknown times are the least of numbers.
      const std::int64_t time_us = std::max<std::int64_t>(record.start_ns(), 0) / 1000;
      last_us_ = std::max(last_us_, time_us);
      open_up_to(record.device, time_us, tables);
      out_.number(time_us);
      out_.text(paths_[record.device]);
      out_.text(action);
      out_.text(" ");
      out_.number(record.offset_bytes);
      out_.text(" ");
      out_.number(record.length_bytes);
      out_.line_done();
    }
  }
  void finish(const TraceTables&) override {
    for (const std::string& path : paths_) line(last_us_, path, "close");
    out_.close();
  }

 private:
  // A record may name any device of the tables; those before it get their place too.
  void open_up_to(std::uint32_t device, std::int64_t time_us, const TraceTables& tables) {
    while (paths_.size() <= device) {
      const auto index = static_cast<std::uint32_t>(paths_.size());
      paths_.push_back(fmt::format(" {} ", path_of(tables, index)));
      line(time_us, paths_.back(), "add");
      line(time_us, paths_.back(), "open");
    }
  }
  void line(std::int64_t time_us, const std::string& path, std::string_view action) {
    out_.number(time_us);
    out_.text(path);
    out_.text(action);
    out_.line_done();
  }

  TextOutput out_;
  std::vector<std::string> paths_;  // by device, between blanks
  std::int64_t last_us_ = 0;
};

}  // namespace

const Exporter exporting::kFioIolog3{
    "fio3", ".fio", "fio iolog, version 3",
    [](const std::string& path, const ExportOptions&) -> std::unique_ptr<TraceSink> {
      return std::make_unique<FioIologSink>(path);
    }};

}  // namespace rigel
