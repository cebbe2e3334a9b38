// blkreplay's load files and results (Schoebel-Theuer, 1&1), fields set apart by ';':
//   start ; sector ; length ; op [; replay_delay ; replay_duration]
// Times in seconds, sector and length in units of 512 bytes, op R or W. A result adds how late the
// request was issued and how long it took. A preamble in prose, header lines, and messages of the
// tool ("INFO: …") are passed over.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

bool is_prose(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos || line[at] < '0' || line[at] > '9';
}

class BlkreplayParser final : public LineParser {
 public:
  explicit BlkreplayParser(const OpenOptions& options)
      : unit_ns_{time_unit_ns(options, kNsPerSecond)} {}

  [[nodiscard]] ColumnSet columns() const override {
    ColumnSet set{Column::kQueue, Column::kOffset, Column::kLength, Column::kOp};
    return replayed_ ? set | ColumnSet{Column::kIssue, Column::kComplete} : set;
  }
  void parse(std::string_view line, LineOutput& out) override {
    if (is_prose(line)) return;
    IoRecord record;
    std::string reason = read(line, record);
    if (!reason.empty()) return out.refuse(std::move(reason));
    out.add(record);
  }
  // The line's record, or why it is none.
  [[nodiscard]] std::string read(std::string_view line, IoRecord& record) {
    TextFields fields{line, ';'};
    record.queue_ns = fields.time("start", unit_ns_);
    record.offset_bytes = fields.bytes("sector", kSectorBytes);
    record.length_bytes = fields.length("length", kSectorBytes);
    const std::string_view op = fields.text("op");
    if (fields.ok() && !fields.at_end()) {
      replayed_ = true;
      record.issue_ns = record.queue_ns + fields.time("replay_delay", unit_ns_);
      record.complete_ns = record.issue_ns + fields.time("replay_duration", unit_ns_);
    }
    if (!fields.ok()) return fields.why();
    return parse_op(op, record.op) ? std::string{} : "op: neither R nor W";
  }

 private:
  std::int64_t unit_ns_;
  bool replayed_ = false;
};

// Data behind prose or a result's header; another header in front of it makes it a CSV.
bool sniff(const SniffInput& input) {
  std::string_view text = text_head(input);
  BlkreplayParser parser{{}};
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    IoRecord record;
    if (!is_prose(line)) return parser.read(line, record).empty();
    if (line.find(';') != std::string_view::npos && !line.starts_with("orig_start")) return false;
  }
  return false;
}

}  // namespace

const Importer import::kBlkreplay{"blkreplay", "blkreplay load file or result", sniff,
                                  [](std::vector<std::unique_ptr<ByteSource>> inputs,
                                     const OpenOptions& options) -> std::unique_ptr<TraceSource> {
                                    return std::make_unique<TextTrace>(
                                        only_input(std::move(inputs), "blkreplay"),
                                        std::make_unique<BlkreplayParser>(options), "blkreplay",
                                        options.columns);
                                  }};

}  // namespace rigel
