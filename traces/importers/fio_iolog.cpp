// fio's I/O logs (write_iolog, read_iolog), versions 1, 2 and 3; fio(1), "TRACE FILE FORMAT".
//   1: "rw, offset, length", rw 0 for a read, 1 for a write; no times, no devices
//   2: "file action [offset length]"; time only passes by "wait": microseconds, each counted from
//      the wait before it
//   3: "time file action [offset length]"; time since the run began, in microseconds
#include <fmt/format.h>

#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/name_table.hpp"
#include "traces/importers/sniff_text.hpp"
#include "traces/importers/text_fields.hpp"
#include "traces/importers/text_trace.hpp"

namespace rigel {
namespace {

class IologParser : public LineParser {
 public:
  explicit IologParser(const OpenOptions& options)
      : unit_ns_{time_unit_ns(options.time_unit.value_or("us"))},
        unit_is_given_{options.time_unit.has_value()} {}

  [[nodiscard]] ColumnSet columns() const override {
    return {Column::kQueue, Column::kDevice, Column::kOffset, Column::kLength, Column::kOp};
  }

 protected:
  // "file action [offset length]", after the time.
  void action(TextFields& fields, std::int64_t time_ns, LineOutput& out) {
    const std::string_view file = fields.text("file");
    const std::string_view what = fields.text("action");
    if (!fields.ok()) return out.refuse(fields.why());
    if (what == "add" || what == "open" || what == "close") {
      files_.index(file, out.tables);
      return;
    }
    IoRecord record;
    if (!op_of(what, record.op)) {
      return out.refuse(fmt::format("'{}' is no action of a fio iolog", what));
    }
    record.queue_ns = time_ns;
    // fio 2 wrote no offset and length for a sync.
    if (record.op != IoOp::kFlush || !fields.at_end()) {
      record.offset_bytes = fields.bytes("offset", 1);
      record.length_bytes = fields.length("length", 1);
    }
    if (!fields.ok()) return out.refuse(fields.why());
    record.device = files_.index(file, out.tables);
    out.add(record);
  }

  std::int64_t unit_ns_;
  bool unit_is_given_;

 private:
  static bool op_of(std::string_view action, IoOp& op) {
    op = action == "read"    ? IoOp::kRead
         : action == "write" ? IoOp::kWrite
         : action == "trim"  ? IoOp::kDiscard
                             : IoOp::kFlush;
    return op != IoOp::kFlush || action == "sync" || action == "datasync" ||
           action == "sync_file_range";
  }
  DeviceNames files_;
};

class Iolog2Parser final : public IologParser {
 public:
  using IologParser::IologParser;

  void parse(std::string_view line, LineOutput& out) override {
    if (line.starts_with("fio version")) return;
    TextFields fields{line, ' '};
    TextFields look = fields;
    look.text("file");
    if (look.text("action") != "wait") return action(fields, now_ns_, out);
    const std::int64_t wait_ns = look.time("wait", unit_ns_);
    if (!look.ok()) return out.refuse(look.why());
    if (wait_ns < 0) return out.refuse("wait: negative");
    now_ns_ += wait_ns;
  }

 private:
  std::int64_t now_ns_ = 0;
};

class Iolog3Parser final : public IologParser {
 public:
  using IologParser::IologParser;

  void parse(std::string_view line, LineOutput& out) override {
    if (line.starts_with("fio version")) return;
    TextFields fields{line, ' '};
    const std::int64_t time_ns = fields.time("time", unit_ns_);
    if (!fields.ok()) return out.refuse(fields.why());
    ++lines_;
    doubt_unit(time_ns, out);
    action(fields, time_ns, out);
  }

 private:
  // Some versions of fio and some converters wrote nanoseconds. A busy run cannot be told from
  // its stamps alone, but one that would last hours at less than an I/O a second can be doubted.
  void doubt_unit(std::int64_t time_ns, LineOutput& out) {
    constexpr std::int64_t kLong = 900 * kNsPerSecond;
    if (unit_is_given_ || doubted_ || time_ns < kLong || time_ns / lines_ < kNsPerSecond) return;
    doubted_ = true;
    out.warn(fmt::format(
        "taken as microseconds, the times are far apart ({} s after {} lines): if they are "
        "nanoseconds, say --time-unit ns",
        time_ns / kNsPerSecond, lines_));
  }

  std::int64_t lines_ = 0;
  bool doubted_ = false;
};

class Iolog1Parser final : public LineParser {
 public:
  [[nodiscard]] ColumnSet columns() const override {
    return {Column::kOffset, Column::kLength, Column::kOp};
  }
  void parse(std::string_view line, LineOutput& out) override {
    TextFields fields{line, ','};
    IoRecord record;
    const std::uint64_t direction = fields.number("rw");
    record.offset_bytes = fields.bytes("offset", 1);
    record.length_bytes = fields.length("length", 1);
    if (!fields.ok()) return out.refuse(fields.why());
    if (!fields.at_end()) return out.refuse("more than three fields");
    if (direction > 1) return out.refuse(fmt::format("rw: {} is neither 0 nor 1", direction));
    record.op = direction == 0 ? IoOp::kRead : IoOp::kWrite;
    out.add(record);
  }
};

bool begins_with(const SniffInput& input, std::string_view what) {
  return text_head(input).starts_with(what);
}

template <typename Parser>
std::unique_ptr<TraceSource> open(std::vector<std::unique_ptr<ByteSource>> inputs,
                                  const OpenOptions& options, int version) {
  std::unique_ptr<LineParser> parser;
  if constexpr (std::is_constructible_v<Parser, const OpenOptions&>) {
    parser = std::make_unique<Parser>(options);
  } else {
    parser = std::make_unique<Parser>();
  }
  return std::make_unique<TextTrace>(only_input(std::move(inputs), "fio iolog"), std::move(parser),
                                     fmt::format("fio iolog v{}", version), options.columns);
}

}  // namespace

namespace import {
const Importer kFioIolog1{
    "fio1", "fio iolog, version 1",
    [](const SniffInput& input) {
      return sniff_lines(input, [](std::string_view line) {
        TextFields fields{line, ','};
        const std::uint64_t direction = fields.number("rw");
        fields.bytes("offset", 1);
        fields.length("length", 1);
        return fields.ok() && fields.at_end() && direction <= 1;
      });
    },
    [](std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options) {
      return open<Iolog1Parser>(std::move(inputs), options, 1);
    }};
const Importer kFioIolog2{
    "fio2", "fio iolog, version 2",
    [](const SniffInput& input) { return begins_with(input, "fio version 2 iolog"); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options) {
      return open<Iolog2Parser>(std::move(inputs), options, 2);
    }};
const Importer kFioIolog3{
    "fio3", "fio iolog, version 3",
    [](const SniffInput& input) { return begins_with(input, "fio version 3 iolog"); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options) {
      return open<Iolog3Parser>(std::move(inputs), options, 3);
    }};
}  // namespace import

}  // namespace rigel
