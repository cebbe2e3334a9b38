// Traces of the DiskSim simulator (Bucy, Schindler, Schlosser, Ganger; its manual, 4.0).
//   ASCII: "time device block size flags", time in milliseconds since the trace's start, block and
//   size in sectors of 512 bytes, bit 0 of flags set for a read.
//   Validation: "R|W Hit|Miss|… block size response interarrival", the last two in microseconds, of
//   requests that were issued one at a time: each one came `interarrival` (of the line before)
//   after the one before it had been answered, as DiskSim's iotrace_validate_get_ioreq_event has
//   it.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout ascii_layout(const OpenOptions& options) {
  return {.source_name = "DiskSim ASCII trace",
          .separator = ' ',
          .fields = {{"time", Field::kQueue, time_unit_ns(options, kNsPerMs)},
                     {"device", Field::kDevice, 1},
                     {"block", Field::kOffset, kSectorBytes},
                     {"size", Field::kLength, kSectorBytes},
                     {"flags", Field::kOp, 1}},
          .most_op_number = 0xffffffff,  // the other bits say how it is done, not what
          .read_number = 1};
}

// A time with a fraction is what sets a line apart from one of MQSim's.
bool is_ascii(const SniffInput& input) {
  std::string_view text = text_head(input);
  const std::string_view line = take_line(text);
  return line.substr(0, line.find_first_of(" \t")).find('.') != std::string_view::npos &&
         sniff_layout<ascii_layout>(input);
}

class ValidationParser final : public LineParser {
 public:
  explicit ValidationParser(const OpenOptions& options)
      : unit_ns_{time_unit_ns(options, kNsPerUs)} {}

  [[nodiscard]] ColumnSet columns() const override {
    return {Column::kQueue, Column::kComplete, Column::kOffset, Column::kLength, Column::kOp};
  }
  void parse(std::string_view line, LineOutput& out) override {
    TextFields fields{line, ' '};
    IoRecord record;
    const std::string_view op = fields.text("op");
    fields.text("buffer action");
    record.offset_bytes = fields.bytes("block", kSectorBytes);
    record.length_bytes = fields.length("size", kSectorBytes);
    const std::int64_t response_ns = fields.time("response", unit_ns_);
    const std::int64_t interarrival_ns = fields.time("interarrival", unit_ns_);
    if (!fields.ok()) return out.refuse(fields.why());
    if (!fields.at_end()) return out.refuse("more than 6 fields");
    if (op != "R" && op != "W") return out.refuse("op: neither R nor W");
    record.op = op == "R" ? IoOp::kRead : IoOp::kWrite;
    record.queue_ns = next_ns_;
    record.complete_ns = next_ns_ + response_ns;
    next_ns_ = record.complete_ns + interarrival_ns;
    out.add(record);
  }

 private:
  std::int64_t unit_ns_;
  std::int64_t next_ns_ = 0;
};

bool is_validation_line(std::string_view line) {
  TraceTables tables;
  LineOutput out{tables};
  TextFields fields{line, ' '};
  const std::string_view op = fields.text("op");
  const std::string_view action = fields.text("buffer action");
  fields.number("block");
  fields.number("size");
  fields.time("response", 1);
  fields.time("interarrival", 1);
  return fields.ok() && fields.at_end() && (op == "R" || op == "W") && !action.empty() &&
         action.front() >= 'A' && action.front() <= 'Z';
}

}  // namespace

namespace import {
const Importer kDisksim{"disksim", "DiskSim ASCII trace", is_ascii, open_layout<ascii_layout>};
const Importer kDisksimValidation{
    "disksim-validation", "DiskSim validation trace, with measured response times",
    [](const SniffInput& input) { return sniff_lines(input, is_validation_line); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<TextTrace>(only_input(std::move(inputs), "DiskSim"),
                                         std::make_unique<ValidationParser>(options),
                                         "DiskSim validation trace", options.columns);
    }};
}  // namespace import

}  // namespace rigel
