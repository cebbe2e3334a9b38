// blkparse(1)'s default text:
//   maj,min cpu sequence seconds pid action rwbs [sector + sectors] [[comm or error]]
// Of the actions, Q, D, R and C say all that a record needs. What is no event (the summary at the
// end, messages, plugs) is passed over.
#include <fmt/format.h>

#include "traces/importers/event_text.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"
#include "traces/rwbs.hpp"

namespace rigel {
namespace {

struct Line {
  std::string_view device;
  std::string_view action;
  std::string_view rwbs;
  std::uint32_t pid = 0;
  BlockEvent event;
  bool is_event = false;  // begins like one: maj,min cpu sequence time pid
};

// The fields that every event has.
Line read_front(std::int64_t unit_ns, TextFields& fields) {
  Line line;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  line.device = fields.text("device");
  line.event.cpu = static_cast<std::uint16_t>(fields.small_number("cpu", kNoCpu));
  fields.number("sequence");
  line.event.time_ns = fields.time("time", unit_ns);
  line.pid = fields.small_number("pid");
  line.action = fields.text("action");
  line.is_event = fields.ok() && parse_device_number(line.device, major, minor);
  return line;
}

bool kind_of(std::string_view action, BlockEvent::Kind& kind) {
  if (action == "Q")
    kind = BlockEvent::Kind::kQueue;
  else if (action == "D")
    kind = BlockEvent::Kind::kIssue;
  else if (action == "R")
    kind = BlockEvent::Kind::kRequeue;
  else if (action == "C")
    kind = BlockEvent::Kind::kComplete;
  else
    return false;
  return true;
}

// "[fio]" -> "fio"
std::string_view in_brackets(std::string_view text) {
  const std::size_t from = text.rfind('[');
  const std::size_t to = text.rfind(']');
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return {};
  return text.substr(from + 1, to - from - 1);
}

class BlkparseParser final : public EventTextParser {
 public:
  explicit BlkparseParser(const OpenOptions& options)
      : unit_ns_{time_unit_ns(options, kNsPerSecond)} {}

  void parse(std::string_view text, LineOutput& out) override {
    TextFields fields{text, ' '};
    Line line = read_front(unit_ns_, fields);
    if (!line.is_event) {
      // The summary follows the last event; a broken event still begins with a device number.
      if (text.find(',') < text.find(' ') && text.front() >= '0' && text.front() <= '9') {
        out.refuse(fields.ok() ? "no event of blkparse" : fields.why());
      }
      return;
    }
    if (!kind_of(line.action, line.event.kind)) return;
    const std::string_view rwbs = fields.text("rwbs");
    if (!fields.ok()) return out.refuse(fields.why());
    if (!parse_rwbs(rwbs, line.event.op, line.event.flags)) {
      return out.refuse(fmt::format("'{}' is no operation", rwbs));
    }
    // A flush may have no range: "FN [fio]".
    if (!fields.at_end() && fields.rest().front() != '[') {
      line.event.offset_bytes = fields.bytes("sector", kSectorBytes);
      if (!fields.at_end() && fields.rest().front() == '+') {
        fields.text("+");
        line.event.length_bytes = fields.length("sectors", kSectorBytes);
      }
    }
    if (!fields.ok()) return out.refuse(fields.why());
    if (line.event.length_bytes == 0 && line.event.op == IoOp::kWrite) line.event.op = IoOp::kFlush;
    const std::string_view bracket = in_brackets(fields.rest());
    if (line.event.kind == BlockEvent::Kind::kComplete) {
      TextFields error{bracket, ' '};
      line.event.status = error.errno_value("error");
      // The kernel's field is unsigned 16 bits of a negative errno.
      if (line.event.status > INT16_MAX) line.event.status = UINT16_MAX + 1 - line.event.status;
    }
    const bool named = bracket != "(null)";
    add(line.event, line.device, named ? bracket : std::string_view{}, line.pid, out);
  }

 private:
  std::int64_t unit_ns_;
};

bool is_line(std::string_view text) {
  TextFields fields{text, ' '};
  const Line line = read_front(kNsPerSecond, fields);
  return line.is_event && line.action.size() <= 2;
}

}  // namespace

const Importer import::kBlkparse{
    "blkparse", "blkparse text output",
    [](const SniffInput& input) { return sniff_lines(input, is_line); },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<TextTrace>(only_input(std::move(inputs), "blkparse"),
                                         std::make_unique<BlkparseParser>(options), "blkparse",
                                         options.columns);
    }};

}  // namespace rigel
