// rigel's JSON Lines: {"rigel":"jsonl","version":1}, then an object a record with the columns it
// has; what is new in the tables stands before its first use as {"devices":{…}}. Holds everything;
// an unknown time or CPU is left out.
#include "traces/exporters/exporter_list.hpp"
#include "traces/exporters/text_output.hpp"
#include "traces/io_flag_names.hpp"
#include "traces/table_text.hpp"

namespace rigel {
namespace {

class JsonlSink final : public TraceSink {
 public:
  explicit JsonlSink(const std::string& path) : out_{create_file(path)} {
    out_.text(R"({"rigel":"jsonl","version":1})");
    out_.line_done();
  }

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    write_tables(tables);
    for (std::size_t row = 0; row < batch.size(); ++row) write_record(batch, row);
  }
  void finish(const TraceTables& tables) override {
    write_tables(tables);
    out_.close();
  }

 private:
  void write_tables(const TraceTables& tables) {
    for (const TableLine& line : tables_.take(tables)) {
      out_.format(R"({{"{}":{}}})", line.name, line.json);
      out_.line_done();
    }
  }
  void write_record(const RecordBatch& batch, std::size_t row) {
    const IoRecord record = batch.record(row);
    separator_ = "{";
    const auto number = [&](Column column, std::string_view name, auto value, bool known = true) {
      if (!batch.present.has(column) || !known) return;
      key(name);
      out_.number(value);
    };
    number(Column::kQueue, "queue_ns", record.queue_ns, record.queue_ns != kNoTime);
    number(Column::kIssue, "issue_ns", record.issue_ns, record.issue_ns != kNoTime);
    number(Column::kComplete, "complete_ns", record.complete_ns, record.complete_ns != kNoTime);
    number(Column::kDevice, "device", record.device);
    number(Column::kOffset, "offset_bytes", record.offset_bytes);
    number(Column::kLength, "length_bytes", record.length_bytes);
    if (batch.present.has(Column::kOp)) text("op", op_name(record.op));
    if (batch.present.has(Column::kFlags)) text("flags", format_flags(record.flags));
    number(Column::kStream, "stream", record.stream);
    number(Column::kCpu, "cpu", record.cpu, record.cpu != kNoCpu);
    number(Column::kStatus, "status", record.status);
    out_.text(separator_ == "{" ? "{}" : "}");
    out_.line_done();
  }
  void key(std::string_view name) {
    out_.text(separator_);
    separator_ = ",";
    out_.text("\"");
    out_.text(name);
    out_.text("\":");
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    out_.text("\"");
    out_.text(value);  // names of ours: nothing in them wants escaping
    out_.text("\"");
  }

  TextOutput out_;
  TableLineWriter tables_;
  std::string_view separator_;
};

}  // namespace

const Exporter exporting::kJsonl{
    "jsonl", ".jsonl", "JSON Lines; holds everything",
    [](const std::string& path, const ExportOptions&) -> std::unique_ptr<TraceSink> {
      return std::make_unique<JsonlSink>(path);
    }};

}  // namespace rigel
