// Trace points of the block layer as text: what `perf script`, `trace-cmd report` and ftrace's own
// trace file print of block:block_rq_issue, block_rq_complete and their like:
//   fio 1234 [001] 100.000123:   block:block_rq_issue: 8,0 R 4096 () 2048 + 8 [fio]
//   fio-1234  [001] 100.000123: block_rq_issue:       8,0 R 4096 () 2048 + 8 [fio]
//   fio-1234  [001] ..... 100.000123: block_rq_complete: 8,0 R () 2048 + 8 none,0,0 [0]
// A process name may hold blanks, so the front is read from the "[cpu]" outwards. Times are seconds
// on the tracer's clock; lines about other events are passed over.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "traces/importers/event_text.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"
#include "traces/rwbs.hpp"

namespace rigel {
namespace {

struct Point {
  std::string_view name;
  BlockEvent::Kind kind;
  bool has_bytes;  // "R 4096 (cmd) sector + n": of a request that is on its way down
  bool has_command;
  bool has_error;
};
constexpr std::array kPoints{
    Point{"block_rq_issue:", BlockEvent::Kind::kIssue, true, true, false},
    Point{"block_rq_complete:", BlockEvent::Kind::kComplete, false, true, true},
    Point{"block_rq_requeue:", BlockEvent::Kind::kRequeue, false, true, true},
    Point{"block_bio_queue:", BlockEvent::Kind::kQueue, false, false, false},
    Point{"block_bio_complete:", BlockEvent::Kind::kBioComplete, false, false, true},
};

struct Found {
  const Point* point = nullptr;
  std::string_view front;  // of the line, before the point's name
  std::string_view body;   // after it
};

Found find_point(std::string_view line) {
  const std::size_t at = line.find("block_");
  if (at == std::string_view::npos) return {};
  for (const Point& point : kPoints) {
    // "block:block_rq_issue:" has the name after the subsystem's.
    if (!line.substr(at).starts_with(point.name)) continue;
    return {&point, line.substr(0, at), line.substr(at + point.name.size())};
  }
  return {};
}

struct Front {
  std::string_view comm;
  std::uint32_t pid = 0;
  std::uint16_t cpu = kNoCpu;
  std::int64_t time_ns = kNoTime;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// "comm pid [cpu] … time:" of perf (pid may be "pid/tid"), "comm-pid [cpu] … time:" of ftrace.
bool read_front(std::string_view text, std::int64_t unit_ns, Front& front) {
  if (text.ends_with("block:")) text.remove_suffix(6);
  text = trimmed(text);
  if (!text.ends_with(':')) return false;
  text.remove_suffix(1);
  const std::size_t time_at = text.find_last_of(" \t");
  const std::size_t bracket = text.rfind('[');
  if (time_at == std::string_view::npos || bracket == std::string_view::npos) return false;
  TextFields time{text.substr(time_at + 1), ' '};
  front.time_ns = time.time("time", unit_ns);
  TextFields cpu{text.substr(bracket + 1, text.find(']', bracket) - bracket - 1), ' '};
  front.cpu = static_cast<std::uint16_t>(cpu.small_number("cpu", kNoCpu));
  if (!time.ok() || !cpu.ok()) return false;
  std::string_view task = trimmed(text.substr(0, bracket));
  // ftrace may add the process in parentheses: "comm-tid (tgid)".
  if (task.ends_with(')')) task = trimmed(task.substr(0, task.rfind('(')));
  const std::size_t cut = task.find_last_not_of("0123456789");
  if (cut == std::string_view::npos || cut + 1 == task.size()) return false;
  const std::string_view digits = task.substr(cut + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), front.pid);
  std::string_view comm = task.substr(0, cut);
  if (task[cut] == '/') {  // perf's "pid/tid"
    comm = comm.substr(0, comm.find_last_not_of("0123456789") + 1);
  }
  front.comm = trimmed(comm);
  return true;
}

// What follows the point's name: "8,0 R [bytes] [(command)] sector + n [priority] [comm or error]".
std::string read_body(const Point& point, std::string_view body, BlockEvent& event,
                      std::string_view& device) {
  TextFields fields{body, ' '};
  device = fields.text("device");
  const std::string_view rwbs = fields.text("rwbs");
  std::uint64_t bytes = 0;
  if (point.has_bytes) bytes = fields.number("bytes");
  if (point.has_command) {
    std::string_view rest = fields.at_end() ? std::string_view{} : fields.rest();
    const std::size_t end = rest.find(')');
    if (!rest.starts_with('(') || end == std::string_view::npos) return "no command in ()";
    fields = TextFields{rest.substr(end + 1), ' '};
  }
  const std::uint64_t sector = fields.number("sector");
  const std::string_view plus = fields.text("+");
  event.length_bytes = fields.length("sectors", kSectorBytes);
  if (!fields.ok()) return fields.why();
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  if (!parse_device_number(device, major, minor)) return fmt::format("'{}' is no device", device);
  if (!parse_rwbs(rwbs, event.op, event.flags)) return fmt::format("'{}' is no operation", rwbs);
  if (plus != "+") return "no '+' between sector and length";
  // Sector -1 stands for none.
  event.offset_bytes = sector < (std::uint64_t{1} << 54) ? sector * kSectorBytes : 0;
  if (event.op == IoOp::kWrite && event.length_bytes == 0 && bytes == 0) event.op = IoOp::kFlush;
  if (event.op == IoOp::kOther) event.flags |= io_flag::kPassthrough;
  if (point.has_error) {
    const std::string_view rest = fields.rest();
    const std::size_t bracket = rest.rfind('[');
    if (bracket == std::string_view::npos) return "no error in []";
    TextFields error{rest.substr(bracket + 1, rest.rfind(']') - bracket - 1), ' '};
    event.status = error.errno_value("error");
    if (!error.ok()) return error.why();
  }
  return {};
}

class TracepointParser final : public EventTextParser {
 public:
  explicit TracepointParser(const OpenOptions& options)
      : unit_ns_{time_unit_ns(options, kNsPerSecond)} {}

  void parse(std::string_view line, LineOutput& out) override {
    if (line.front() == '#') return;
    lost(line, out);
    const Found found = find_point(line);
    if (found.point == nullptr) return;
    Front front;
    if (!read_front(found.front, unit_ns_, front)) {
      return out.refuse("no 'command pid [cpu] time:' in front of the event");
    }
    BlockEvent event;
    event.kind = found.point->kind;
    event.time_ns = front.time_ns;
    event.cpu = front.cpu;
    std::string_view device;
    std::string reason = read_body(*found.point, found.body, event, device);
    if (!reason.empty()) return out.refuse(std::move(reason));
    latest_ns_ = event.time_ns;
    if (first_ns_ == kNoTime) first_ns_ = event.time_ns;
    add(event, device, front.comm, front.pid, out);
  }

 private:
  // ftrace: "CPU:2 [LOST 17 EVENTS]"; trace-cmd: "CPU:2 [17 EVENTS DROPPED]".
  void lost(std::string_view line, LineOutput& out) {
    const std::size_t at = line.find('[');
    if (!line.starts_with("CPU:") || at == std::string_view::npos) return;
    TextFields fields{line.substr(at + 1), ' '};
    if (line.find("LOST") != std::string_view::npos)
      fields.text("LOST");
    else if (line.find("DROPPED") == std::string_view::npos)
      return;
    const std::uint64_t count = fields.number("events");
    const std::int64_t now = latest_ns_ == kNoTime ? 0 : latest_ns_ - first_ns_;
    if (fields.ok()) out.tables.losses.push_back({now, now, count, std::string{line}});
  }

  std::int64_t unit_ns_;
  std::int64_t first_ns_ = kNoTime;
  std::int64_t latest_ns_ = kNoTime;
};

// The first event of the block layer reads well; other lines may stand before it.
bool sniff(const SniffInput& input) {
  std::string_view text = text_head(input);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const Found found = find_point(line);
    if (found.point == nullptr) continue;
    Front front;
    BlockEvent event;
    std::string_view device;
    return read_front(found.front, 1, front) &&
           read_body(*found.point, found.body, event, device).empty();
  }
  return false;
}

}  // namespace

const Importer import::kTracepoints{
    "tracepoints", "block events by perf script, trace-cmd report or ftrace", sniff,
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<TextTrace>(only_input(std::move(inputs), "trace point"),
                                         std::make_unique<TracepointParser>(options),
                                         "block trace points", options.columns);
    }};

}  // namespace rigel
