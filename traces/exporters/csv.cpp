// rigel's CSV: "# rigel csv 1", a header line that names column and unit, a line a record; what is
// new in the tables stands before its first use as "# devices {…}". Holds everything; an unknown
// time or CPU is an empty cell. A change of columns is a new header line.
#include "traces/exporters/exporter_list.hpp"
#include "traces/exporters/text_output.hpp"
#include "traces/io_flag_names.hpp"
#include "traces/table_text.hpp"

namespace rigel {
namespace {

constexpr const char* column_title(Column column) {
  switch (column) {
    case Column::kQueue:
      return "queue_ns";
    case Column::kIssue:
      return "issue_ns";
    case Column::kComplete:
      return "complete_ns";
    case Column::kDevice:
      return "device";
    case Column::kOffset:
      return "offset_bytes";
    case Column::kLength:
      return "length_bytes";
    case Column::kOp:
      return "op";
    case Column::kFlags:
      return "flags";
    case Column::kStream:
      return "stream";
    case Column::kCpu:
      return "cpu";
    case Column::kStatus:
      return "status";
  }
  return "";
}

class CsvSink final : public TraceSink {
 public:
  explicit CsvSink(const std::string& path) : out_{create_file(path)} {
    out_.text("# rigel csv 1");
    out_.line_done();
  }

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    write_tables(tables);
    if (batch.empty()) return;
    if (!(batch.present == columns_)) header(batch.present);
    for (std::size_t row = 0; row < batch.size(); ++row) write_row(batch, row);
  }
  void finish(const TraceTables& tables) override {
    write_tables(tables);
    out_.close();
  }

 private:
  void write_tables(const TraceTables& tables) {
    for (const TableLine& line : tables_.take(tables)) {
      out_.format("# {} {}", line.name, line.json);
      out_.line_done();
    }
  }
  void header(ColumnSet columns) {
    columns_ = columns;
    bool first = true;
    RecordBatch::for_each_column([&](Column column, auto, auto) {
      if (!columns.has(column)) return;
      if (!first) out_.text(",");
      out_.text(column_title(column));
      first = false;
    });
    out_.line_done();
  }
  void write_row(const RecordBatch& batch, std::size_t row) {
    bool first = true;
    RecordBatch::for_each_column([&](Column column, auto values, auto) {
      if (!columns_.has(column)) return;
      if (!first) out_.text(",");
      first = false;
      cell((batch.*values)[row], column);
    });
    out_.line_done();
  }
  void cell(std::int64_t time_ns, Column) {
    if (time_ns != kNoTime) out_.number(time_ns);
  }
  void cell(IoOp op, Column) { out_.text(op_name(op)); }
  void cell(std::uint64_t value, Column) { out_.number(value); }
  void cell(std::int32_t value, Column) { out_.number(value); }
  void cell(std::uint16_t cpu, Column) {
    if (cpu != kNoCpu) out_.number(cpu);
  }
  void cell(std::uint32_t value, Column column) {
    if (column == Column::kFlags && value != 0)
      out_.text(format_flags(value));
    else
      out_.number(value);
  }

  TextOutput out_;
  TableLineWriter tables_;
  ColumnSet columns_;
};

}  // namespace

const Exporter exporting::kCsv{
    "csv", ".csv", "CSV with a header; holds everything",
    [](const std::string& path, const ExportOptions&) -> std::unique_ptr<TraceSink> {
      return std::make_unique<CsvSink>(path);
    }};

}  // namespace rigel
