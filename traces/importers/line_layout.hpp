// Text formats whose every line is one I/O as a fixed list of fields are described, not programmed:
// a LineLayout says what each field is and in which unit, and LayoutParser does the rest.
//
//   constexpr … LineLayout layout(const OpenOptions&) {
//     return {.separator = ',', .fields = {{"time", Field::kQueue, kNsPerUs}, {"lba", …}}};
//   }
//   const Importer import::kX{"x", "…", sniff_layout<layout>, open_layout<layout>};
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/importer.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/name_table.hpp"
#include "traces/importers/sniff_text.hpp"
#include "traces/importers/text_fields.hpp"
#include "traces/importers/text_trace.hpp"

namespace rigel {

enum class Field : std::uint8_t {
  kIgnored,
  kQueue,  // times, in units of FieldLayout::unit nanoseconds
  kIssue,
  kComplete,
  kLatency,  // from the record's start to its completion, likewise
  kOffset,   // in units of FieldLayout::unit bytes
  kLength,
  kOp,           // a letter or a word, or a number by LineLayout::read_number
  kDevice,       // a name
  kDeviceIndex,  // into a table that the file holds
  kComm,
  kPid,
  kTid,
  kStream,  // index into a table that the file holds
  kCpu,
  kStatus,  // an errno, whatever its sign
  kFlags,   // names joined by '+', or "0x…"
};

struct FieldLayout {
  std::string name;  // for messages
  Field kind = Field::kIgnored;
  std::int64_t unit = 1;
};

struct LineLayout {
  // What the format's times count from.
  enum class Clock : std::uint8_t {
    kTraceStart,   // the trace's own zero
    kUnknown,      // anything: the first record is taken as 0
    kUnix,         // 1970: the same, and the wall clock is known
    kUnixOrStart,  // kUnix when the first time lies in 2001…2096, otherwise kTraceStart
  };
  std::string source_name;
  char separator = ',';
  std::vector<FieldLayout> fields;
  bool more_fields_allowed = false;
  Clock clock = Clock::kTraceStart;
  std::uint64_t most_op_number = 1;      // larger ones are refused
  int read_number = -1;                  // kOp is a number: odd or even as this for a read
  std::uint32_t fixed_length_bytes = 0;  // for formats without lengths
  char skipped = '\0';                   // lines that begin with this say nothing
};

// "R", "read", "W", "write", "D", "trim", "F", "sync", …, in any case; false for anything else.
[[nodiscard]] bool parse_op(std::string_view text, IoOp& op);

class LayoutParser final : public LineParser {
 public:
  explicit LayoutParser(LineLayout layout);

  [[nodiscard]] ColumnSet columns() const override { return columns_; }
  void parse(std::string_view line, LineOutput& out) override;

  // The line's fields into `record`; when they do not fit the layout, why.
  [[nodiscard]] std::string read(std::string_view line, IoRecord& record, TraceTables& tables);
  [[nodiscard]] const LineLayout& layout() const { return layout_; }

 private:
  struct Task {
    std::string_view comm;
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
  };
  void take(const FieldLayout& field, TextFields& fields, IoRecord& record, TraceTables& tables);
  void take_op(const FieldLayout& field, TextFields& fields, IoRecord& record);
  void rebase(IoRecord& record, TraceTables& tables);

  LineLayout layout_;
  ColumnSet columns_;
  bool names_devices_ = false;
  bool names_tasks_ = false;
  DeviceNames devices_;
  StreamNames streams_;
  std::string_view device_;            // of the line under way
  Task task_;                          // of the line under way
  std::int64_t latency_ns_ = kNoTime;  // likewise
  std::string reason_;                 // likewise: what TextFields cannot say
  std::int64_t base_ns_ = kNoTime;
};

// OpenOptions::time_unit, or the format's own.
[[nodiscard]] std::int64_t time_unit_ns(const OpenOptions& options, std::int64_t own_unit_ns);

using MakeLayout = LineLayout (*)(const OpenOptions& options);

template <MakeLayout kMakeLayout>
bool sniff_layout(const SniffInput& input) {
  return sniff_lines(input, [](std::string_view line) {
    LayoutParser parser{kMakeLayout({})};
    TraceTables tables;
    IoRecord record;
    const char skipped = parser.layout().skipped;
    return (skipped != '\0' && line.front() == skipped) ||
           parser.read(line, record, tables).empty();
  });
}

template <MakeLayout kMakeLayout>
std::unique_ptr<TraceSource> open_layout(std::vector<std::unique_ptr<ByteSource>> inputs,
                                         const OpenOptions& options) {
  LineLayout layout = kMakeLayout(options);
  const std::string name = layout.source_name;
  return std::make_unique<TextTrace>(only_input(std::move(inputs), name),
                                     std::make_unique<LayoutParser>(std::move(layout)), name,
                                     options.columns);
}

}  // namespace rigel
