#include "cli/capture_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <sstream>

#include "cli/options.hpp"
#include "traces/error.hpp"
#include "traces/io_record.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Records every block I/O of this host, or of the devices named: when it was queued, issued\n"
    "and completed, where, how large, of what kind, by which process, and how it ended. Records\n"
    "until COMMAND ends, until the duration is over, or until SIGINT (Ctrl-C).";

using Counts = std::vector<CountArg>;

constexpr std::uint64_t kMostSampled = 0xffffffff;
constexpr std::uint64_t kMostKept = 1'000'000;
constexpr std::uint64_t kMostPid = 1U << 22;  // PID_MAX_LIMIT of the kernel's threads.h

std::vector<std::uint32_t> pids_of(const Counts& counts) {
  std::vector<std::uint32_t> pids;
  for (const CountArg& count : counts) {
    if (count.value == 0 || count.value > kMostPid) {
      throw UsageError{fmt::format("--pid {}: there is no such process", count.value)};
    }
    const auto pid = static_cast<std::uint32_t>(count.value);
    if (std::find(pids.begin(), pids.end(), pid) != pids.end()) {
      throw UsageError{fmt::format("--pid {} is given twice", pid)};
    }
    pids.push_back(pid);
  }
  return pids;
}

std::uint32_t parse_ops(const std::string& text) {
  std::uint32_t ops = 0;
  std::istringstream names{text};
  for (std::string name; std::getline(names, name, ',');) {
    std::uint8_t op = 0;
    while (op < kIoOpCount && op_name(static_cast<IoOp>(op)) != name) ++op;
    if (op == kIoOpCount) {
      throw UsageError{fmt::format(
          "--op: '{}' is none of read, write, flush, discard, write-zeroes, other", name)};
    }
    ops |= 1U << op;
  }
  return ops;
}

// The filters in force as they were given; part of what the trace says about itself.
std::string filter_text(const po::variables_map& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const auto add = [&, &option = name](const std::string& argument) {
      text += fmt::format("{}--{} {}", text.empty() ? "" : " ", option, argument);
    };
    if (name == "pid") {
      for (const CountArg& pid : value.as<Counts>()) add(std::to_string(pid.value));
    } else if (name == "comm") {
      for (const std::string& comm : value.as<std::vector<std::string>>()) add(comm);
    } else if (name == "cgroup" || name == "op") {
      add(value.as<std::string>());
    } else if (name == "min-latency") {
      add(format_duration(value.as<DurationArg>().ns));
    } else if (name == "sample") {
      add(std::to_string(value.as<CountArg>().value));
    }
  }
  return text;
}

// A size or a time. Letters' case tells 1M from 1m.
void parse_rotation(const std::string& text, CaptureRequest& request) {
  const auto value = [&](auto parse) {
    std::optional<decltype(parse(text))> result;
    try {
      result = parse(text);
    } catch (const UsageError&) {
      result.reset();
    }
    return result;
  };
  const auto bytes = value(parse_bytes);
  const auto time = value(parse_duration_ns);
  if (bytes && time && text.back() == 'm') {
    throw UsageError{fmt::format("--rotate {}: megabytes or minutes? Say {}M or {}s", text,
                                 text.substr(0, text.size() - 1), *time / 1'000'000'000)};
  }
  if (!bytes && !time) throw UsageError{fmt::format("--rotate {}: neither size nor time", text)};
  if (bytes) request.rotate_bytes = *bytes;
  if (!bytes) request.rotate_ns = *time;
  if (request.rotate_bytes == 0 && request.rotate_ns == 0) {
    throw UsageError{fmt::format("--rotate {}: after nothing?", text)};
  }
}

// What goes together and what does not.
void check(const CaptureRequest& request) {
  const auto refuse = [](bool is_wrong, const char* why) {
    if (is_wrong) throw UsageError{why};
  };
  const bool rotates = request.rotate_bytes != 0 || request.rotate_ns != 0;
  const bool has_ring = request.ring_ns != 0;
  const bool is_numbered = rotates || has_ring || request.window.has_value();
  const bool is_live = request.live || request.live_curve;
  refuse(request.output.empty() && !is_live && request.prometheus.empty(),
         "capture needs -o FILE, --live, --live-mrc or --prometheus FILE");
  refuse(request.output.empty() && (is_numbered || request.most_bytes != 0),
         "--rotate, --ring, --window and --max-size need -o FILE");
  refuse(request.output == "-" && is_numbered, "several files do not go to standard output");
  refuse(request.output == "-" && is_live, "--live prints on standard output: name a file with -o");
  refuse(request.page_bytes < 512 || request.page_bytes > (std::uint64_t{1} << 29) ||
             !std::has_single_bit(request.page_bytes),
         "--page must be a power of two from 512 to 512M");
  refuse(has_ring && (rotates || request.most_bytes != 0),
         "--ring keeps the recording in memory: not with --rotate or --max-size");
  refuse(request.trigger_ns != 0 && !has_ring, "--trigger-latency needs --ring");
  refuse(request.keep != 0 && !is_numbered, "--keep needs --rotate, --ring or --window");
  refuse(request.window && !request.command.empty(), "--window records no COMMAND");
}

template <typename Arg, typename Value>
void take(const po::variables_map& values, const char* name, Value Arg::*field, auto& into) {
  if (values.count(name) != 0) into = values[name].template as<Arg>().*field;
}

// A size that must be more than none.
std::uint64_t positive_size(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return 0;
  const std::uint64_t bytes = values[name].as<SizeArg>().bytes;
  if (bytes == 0) throw UsageError{fmt::format("--{} must be more than 0", name)};
  return bytes;
}

// A time that must be more than none.
std::int64_t positive(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return 0;
  const std::int64_t ns = values[name].as<DurationArg>().ns;
  if (ns <= 0) throw UsageError{fmt::format("--{} must be more than 0", name)};
  return ns;
}

}  // namespace

bool CaptureRequest::needs_pages_only() const {
  const CaptureFilter& filter = tracer.filter;
  const bool asks_who_or_how_long = !filter.pids.empty() || !filter.comms.empty() ||
                                    !filter.cgroup.empty() || filter.least_latency_ns != 0 ||
                                    filter.sample_one_in > 1;
  return live_curve && !live && output.empty() && prometheus.empty() && !asks_who_or_how_long;
}

CaptureRequest parse_capture_request(const std::vector<std::string>& arguments) {
  CaptureRequest request;
  CaptureFilter& filter = request.tracer.filter;
  CommandOptions options{"capture", "-o FILE [OPTIONS] [-- COMMAND...]", kText};
  auto add = options.add();
  add("output,o", po::value<std::string>(&request.output), "trace to write; - is standard output");
  add("device,d", po::value<std::vector<std::string>>(),
      "record this device, with its partitions (repeatable; default: the lowest devices, so that "
      "no I/O is recorded twice)");
  add("duration", po::value<DurationArg>(), "stop after this time, e.g. 30s");
  add("max-size", po::value<SizeArg>(), "stop when the trace is as large as this");
  add("rotate", po::value<std::string>(),
      "SIZE or TIME: go on in another file when one has this much; FILE.rgt becomes "
      "FILE-000001.rgt and so on");
  add("window", po::value<std::string>(), "22:00-23:00: record in this time of every day only");
  add("ring", po::value<DurationArg>(),
      "TIME: keep this much in memory, compressed; write it on SIGUSR1");
  add("trigger-latency", po::value<DurationArg>(),
      "with --ring: write it when an I/O takes this long");
  add("keep", po::value<CountArg>(), "of the numbered files, the newest N");
  add("live", "print, as iostat does, what is going on, by device and by role");
  add("live-mrc", "print what LRU caches of several sizes would have made of the I/O so far");
  add("page", po::value<SizeArg>(), "of --live-mrc: the cache's page (8k)");
  add("interval", po::value<DurationArg>(), "of --live, --live-mrc and --prometheus (1s)");
  add("prometheus", po::value<std::string>(&request.prometheus),
      "counters for node_exporter's textfile collector, e.g. DIR/rigel.prom");
  add("pid", po::value<Counts>(), "only I/O that this process submits (repeatable)");
  add("comm", po::value<std::vector<std::string>>(),
      "only I/O of processes of this name (repeatable; 15 characters at most)");
  add("cgroup", po::value<std::string>(&filter.cgroup),
      "only I/O submitted from this directory of the cgroup v2 filesystem and below");
  add("op", po::value<std::string>(),
      "only these operations: read,write,flush,discard,write-zeroes,other");
  add("min-latency", po::value<DurationArg>(), "only I/O that took this long from queue to end");
  add("sample", po::value<CountArg>(), "only one I/O in this many, by chance");
  add("buffer", po::value<SizeArg>(), "of each CPU, for I/Os not yet written (1.4M)");
  add("roles", po::value<std::string>(&request.roles),
      "more rules for what part a process plays, see rigel-capture(1)");
  add("allow-loss", "exit 0 even when I/Os were lost; they are counted in any case");
  add("self-stats", "what the recorder's BPF programs cost; measuring costs something too");
  options.positional("command", -1);
  const po::variables_map values = options.parse(arguments);
  filter.sample_one_in = static_cast<std::uint32_t>(count_of(values, "sample", 1, kMostSampled, 1));
  if (values.count("pid") != 0) filter.pids = pids_of(values["pid"].as<Counts>());
  filter.comms = different_texts(values, "comm");
  request.devices = different_texts(values, "device");
  request.keep = count_of(values, "keep", 1, kMostKept, 0);
  request.most_bytes = positive_size(values, "max-size");
  if (values.count("buffer") != 0) request.tracer.ring_bytes = positive_size(values, "buffer");
  take(values, "min-latency", &DurationArg::ns, filter.least_latency_ns);
  if (values.count("command") != 0) {
    request.command = values["command"].as<std::vector<std::string>>();
  }
  if (values.count("duration") != 0) request.duration_ns = positive(values, "duration");
  if (values.count("interval") != 0) request.interval_ns = positive(values, "interval");
  request.ring_ns = positive(values, "ring");
  request.trigger_ns = positive(values, "trigger-latency");
  if (values.count("rotate") != 0) parse_rotation(values["rotate"].as<std::string>(), request);
  if (values.count("window") != 0) request.window.emplace(values["window"].as<std::string>());
  if (values.count("op") != 0) filter.ops = parse_ops(values["op"].as<std::string>());
  request.live = values.count("live") != 0;
  request.live_curve = values.count("live-mrc") != 0;
  take(values, "page", &SizeArg::bytes, request.page_bytes);
  request.allow_loss = values.count("allow-loss") != 0;
  request.tracer.measure_cost = values.count("self-stats") != 0;
  request.filter_text = filter_text(values);
  check(request);
  return request;
}

}  // namespace rigel
