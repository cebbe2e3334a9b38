#include "cli/record_printer.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "traces/io_flag_names.hpp"
#include "traces/printable.hpp"

namespace rigel {
namespace {

constexpr ColumnSet kTimes{Column::kQueue, Column::kIssue, Column::kComplete};
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

struct Row {
  const IoRecord& record;
  const TraceTables& tables;
};

std::string seconds(std::int64_t time_ns) {
  if (time_ns == kNoTime) return "-";
  return fmt::format("{:.9f}", static_cast<double>(time_ns) / 1e9);
}

std::string microseconds(std::int64_t begin_ns, std::int64_t end_ns) {
  if (begin_ns == kNoTime || end_ns == kNoTime) return "-";
  return fmt::format("{:.3f}", (static_cast<double>(end_ns) - static_cast<double>(begin_ns)) / 1e3);
}

std::string device_of(const Row& row) {
  const auto& devices = row.tables.devices;
  const bool named = row.record.device < devices.size() && !devices[row.record.device].name.empty();
  return named ? printable(devices[row.record.device].name) : fmt::format("#{}", row.record.device);
}

std::string stream_of(const Row& row) {
  if (row.record.stream >= row.tables.streams.size()) return fmt::format("#{}", row.record.stream);
  const StreamInfo& stream = row.tables.streams[row.record.stream];
  return fmt::format("{}:{}", stream.comm.empty() ? "-" : printable(stream.comm), stream.tid);
}

// A column of the table: shown when the trace has all that `needs` names; where that is nothing,
// any time.
struct TableColumn {
  const char* title;
  int width;  // negative: to the left
  ColumnSet needs;
  std::string (*text)(const Row& row);
};

constexpr std::array kTable{
    TableColumn{"start_s", 15, {}, [](const Row& row) { return seconds(row.record.start_ns()); }},
    TableColumn{
        "queue_us",
        11,
        {Column::kQueue, Column::kIssue},
        [](const Row& row) { return microseconds(row.record.queue_ns, row.record.issue_ns); }},
    TableColumn{
        "service_us",
        12,
        {Column::kIssue, Column::kComplete},
        [](const Row& row) { return microseconds(row.record.issue_ns, row.record.complete_ns); }},
    TableColumn{
        "response_us",
        12,
        {Column::kQueue, Column::kComplete},
        [](const Row& row) { return microseconds(row.record.queue_ns, row.record.complete_ns); }},
    TableColumn{"device", -10, {Column::kDevice}, device_of},
    TableColumn{"op",
                -6,
                {Column::kOp},
                [](const Row& row) { return std::string{op_name(row.record.op)}; }},
    TableColumn{"offset",
                15,
                {Column::kOffset},
                [](const Row& row) { return fmt::format("{}", row.record.offset_bytes); }},
    TableColumn{"length",
                8,
                {Column::kLength},
                [](const Row& row) { return fmt::format("{}", row.record.length_bytes); }},
    TableColumn{"process:tid", -22, {Column::kStream}, stream_of},
    TableColumn{"cpu",
                3,
                {Column::kCpu},
                [](const Row& row) {
                  return row.record.cpu == kNoCpu ? "-" : fmt::format("{}", row.record.cpu);
                }},
    TableColumn{"flags",
                -10,
                {Column::kFlags},
                [](const Row& row) { return format_flags(row.record.flags); }},
    TableColumn{"status",
                -6,
                {Column::kStatus},
                [](const Row& row) {
                  return row.record.status == 0
                             ? std::string{"ok"}
                             : std::generic_category().message(row.record.status);
                }},
};

class RecordPrinter final : public TraceSink {
 public:
  explicit RecordPrinter(std::unique_ptr<ByteSink> out) : out_{std::move(out)} {}

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    if (!headed_ || batch.present != present_) put_head(batch.present);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const IoRecord record = batch.record(i);
      for (const TableColumn& column : kTable) {
        if (shows(column)) put_cell(column, column.text({record, tables}));
      }
      end_line();
    }
  }

  void finish(const TraceTables&) override {
    flush();
    out_->close();
  }

 private:
  void put_head(ColumnSet present) {
    headed_ = true;
    present_ = present;
    for (const TableColumn& column : kTable) {
      if (shows(column)) put_cell(column, column.title);
    }
    end_line();
  }

  [[nodiscard]] bool shows(const TableColumn& column) const {
    if (column.needs == ColumnSet{}) return (present_ & kTimes) != ColumnSet{};
    return (column.needs & present_) == column.needs;
  }

  void put_cell(const TableColumn& column, std::string_view text) {
    if (column.width > 0) {
      fmt::format_to(std::back_inserter(buffer_), "{:>{}} ", text, column.width);
    } else {
      fmt::format_to(std::back_inserter(buffer_), "{:<{}} ", text, -column.width);
    }
  }

  void end_line() {
    while (buffer_.size() != 0 && buffer_[buffer_.size() - 1] == ' ') {
      buffer_.resize(buffer_.size() - 1);
    }
    buffer_.push_back('\n');
    if (buffer_.size() >= kPieceBytes) flush();
  }

  void flush() {
    out_->write(std::as_bytes(std::span{buffer_.data(), buffer_.size()}));
    buffer_.clear();
  }

  std::unique_ptr<ByteSink> out_;
  fmt::memory_buffer buffer_;
  ColumnSet present_;
  bool headed_ = false;
};

}  // namespace

std::unique_ptr<TraceSink> print_records(std::unique_ptr<ByteSink> out) {
  return std::make_unique<RecordPrinter>(std::move(out));
}

}  // namespace rigel
