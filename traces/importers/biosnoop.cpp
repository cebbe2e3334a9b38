// biosnoop's text, of bcc, libbpf-tools or bpftrace. The header says which columns there are:
//   TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)      bcc, libbpf-tools
//   TIME(ms) DISK COMM PID LAT(ms)                              bpftrace
// TIME is that of the completion, since the first one; LAT runs from issue to completion, QUE from
// queueing to issue. A process name may hold blanks and DISK may be empty, so what stands left of
// the name is read from the left and the rest from the right.
#include <fmt/format.h>

#include <algorithm>

#include "traces/error.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"
#include "traces/importers/start_order.hpp"
#include "traces/rwbs.hpp"

namespace rigel {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  TextFields fields{line, ' '};
  while (!fields.at_end()) words.push_back(fields.text("word"));
  return words;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_header(std::string_view line) {
  const auto words = words_of(line);
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return has("COMM") && has("PID") && has("LAT(ms)") && words.front().starts_with("TIME");
}

class BiosnoopParser final : public LineParser {
 public:
  explicit BiosnoopParser(std::string name) : name_{std::move(name)} {}

  [[nodiscard]] ColumnSet columns() const override { return columns_; }
  [[nodiscard]] bool ordered_by_time() const override { return false; }

  void parse(std::string_view line, LineOutput& out) override {
    if (is_header(line)) return header(line);
    if (lost(line, out) || header_.empty()) return;
    IoRecord record;
    std::string reason = read(words_of(line), record, out);
    if (!reason.empty()) return out.refuse(std::move(reason));
    latest_ns_ = record.complete_ns;
    order_.push(record);
    while (order_.ready(false)) out.add(order_.pop());
  }
  void finish(LineOutput& out) override {
    while (order_.ready(true)) out.add(order_.pop());
  }

 private:
  void header(std::string_view line) {
    header_.clear();
    columns_ = {Column::kIssue, Column::kComplete, Column::kStream};
    for (const std::string_view word : words_of(line)) {
      header_.emplace_back(word);
      if (word == "QUE(ms)") columns_.add(Column::kQueue);
      if (word == "DISK") columns_.add(Column::kDevice);
      if (word == "SECTOR") columns_.add(Column::kOffset);
      if (word == "BYTES") columns_.add(Column::kLength);
      if (word == "T") columns_ = columns_ | ColumnSet{Column::kOp, Column::kFlags};
    }
    if (header_.front() != "TIME(s)" && header_.front() != "TIME(ms)") {
      throw Error{fmt::format("{}: biosnoop's times of day ({}) are not read: record without -t",
                              name_, header_.front())};
    }
  }

  // "lost 128 events on CPU #1" of libbpf-tools, "Possibly lost 12 samples" of bcc.
  bool lost(std::string_view line, LineOutput& out) const {
    const std::size_t at = line.find("ost ");
    if (!line.starts_with("lost ") && !line.starts_with("Possibly lost ")) return false;
    TextFields fields{line.substr(at + 4), ' '};
    const std::uint64_t count = fields.number("lost events");
    if (fields.ok()) {
      out.tables.losses.push_back({latest_ns_, latest_ns_, count, std::string{line}});
    }
    return fields.ok();
  }

  // Into `record`, or why not.
  std::string read(std::vector<std::string_view> words, IoRecord& record, LineOutput& out) {
    const auto comm_column = static_cast<std::size_t>(
        std::find(header_.begin(), header_.end(), "COMM") - header_.begin());
    // An empty DISK leaves the process number left of the operation.
    const auto disk_column = static_cast<std::size_t>(
        std::find(header_.begin(), header_.end(), "DISK") - header_.begin());
    const std::size_t after_disk = header_.size() - std::min(header_.size(), disk_column + 1);
    if (disk_column > comm_column && disk_column < header_.size() && words.size() > after_disk &&
        is_number(words[words.size() - after_disk - 1])) {
      words.insert(words.end() - static_cast<std::ptrdiff_t>(after_disk), std::string_view{});
    }
    if (words.size() < header_.size()) return "fields are missing";
    const std::size_t in_comm = words.size() - header_.size() + 1;  // words that the name has
    Task task;
    const std::string_view first = words[comm_column];
    const std::string_view last = words[comm_column + in_comm - 1];
    task.comm = {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
    std::string reason;
    for (std::size_t column = 0; column < header_.size() && reason.empty(); ++column) {
      if (column == comm_column) continue;
      const std::size_t at = column < comm_column ? column : column + in_comm - 1;
      reason = take(header_[column], words[at], record, task);
    }
    if (!reason.empty()) return reason;
    record.issue_ns = record.complete_ns - task.latency_ns;
    if (task.queued_ns >= 0) record.queue_ns = record.issue_ns - task.queued_ns;
    if (columns_.has(Column::kDevice)) record.device = devices_.index(task.disk, out.tables);
    record.stream = streams_.index(task.comm, task.pid, 0, out.tables);
    return {};
  }

  struct Task {
    std::string_view comm;
    std::string_view disk;
    std::uint32_t pid = 0;
    std::int64_t latency_ns = 0;
    std::int64_t queued_ns = -1;
  };
  static std::string take(std::string_view column, std::string_view word, IoRecord& record,
                          Task& task) {
    TextFields field{word, ' '};
    if (column == "TIME(s)")
      record.complete_ns = field.time("TIME(s)", kNsPerSecond);
    else if (column == "TIME(ms)")
      record.complete_ns = field.time("TIME(ms)", kNsPerMs);
    else if (column == "LAT(ms)")
      task.latency_ns = field.time("LAT(ms)", kNsPerMs);
    else if (column == "QUE(ms)")
      task.queued_ns = field.time("QUE(ms)", kNsPerMs);
    else if (column == "PID")
      task.pid = field.small_number("PID");
    else if (column == "SECTOR")
      record.offset_bytes = field.bytes("SECTOR", kSectorBytes);
    else if (column == "BYTES")
      record.length_bytes = field.length("BYTES", 1);
    else if (column == "DISK")
      task.disk = word;
    else if (column == "T" && !parse_rwbs(word, record.op, record.flags)) {
      return fmt::format("T: '{}' is no operation", word);
    }
    return field.why();
  }

  std::string name_;
  std::vector<std::string> header_;
  ColumnSet columns_;
  StartOrder order_;
  DeviceNames devices_;
  StreamNames streams_;
  std::int64_t latest_ns_ = 0;
};

// The header is among the first lines; a word about starting may stand before it.
bool sniff(const SniffInput& input) {
  std::string_view text = text_head(input);
  for (int i = 0; i < 4 && !text.empty(); ++i) {
    const std::string_view line = take_line(text);
    if (!line.empty() && is_header(line)) return true;
  }
  return false;
}

}  // namespace

const Importer import::kBiosnoop{
    "biosnoop", "biosnoop text output of bcc, libbpf-tools or bpftrace", sniff,
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      auto input = only_input(std::move(inputs), "biosnoop");
      auto parser = std::make_unique<BiosnoopParser>(input->name());
      return std::make_unique<TextTrace>(std::move(input), std::move(parser), "biosnoop",
                                         options.columns);
    },
    true};

}  // namespace rigel
