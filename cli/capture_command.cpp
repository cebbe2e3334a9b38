// rigel capture: records the block I/O of this host.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <sstream>

#include "capture/block_devices.hpp"
#include "capture/block_tracer.hpp"
#include "capture/host_names.hpp"
#include "capture/recorder.hpp"
#include "cli/child_process.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"
#include "traces/trace_writer.hpp"
#include "traces/version.hpp"

namespace rigel {
namespace {

using Clock = std::chrono::steady_clock;
using Counts = std::vector<CountArg>;

constexpr std::uint64_t kMostSampled = 0xffffffff;
constexpr std::uint64_t kMostPid = 1U << 22;  // PID_MAX_LIMIT of the kernel's threads.h

constexpr char kText[] =
    "Records every block I/O of this host, or of the devices named: when it was queued, issued\n"
    "and completed, where, how large, of what kind, by which process, and how it ended. Records\n"
    "until COMMAND ends, until the duration is over, or until SIGINT (Ctrl-C).";

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string{separator}) + word;
  return text;
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

TraceMeta meta_of_this_host() {
  TraceMeta meta;
  meta.source = fmt::format("rigel capture {}", kVersion);
  struct utsname names = {};
  if (uname(&names) == 0) {
    meta.host = names.nodename;
    meta.kernel = names.release;
  }
  return meta;
}

class CaptureCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void choose_devices(TraceMeta& meta);
  [[nodiscard]] bool is_over(Clock::time_point start);
  void note_ledger(const RecordingResult& result, TraceMeta& meta) const;
  void report(const RecordingResult& result, const TraceTables& tables) const;
  [[nodiscard]] int exit_code(const RecordingResult& result);

  std::string output_;
  std::vector<std::string> devices_;
  std::vector<std::string> command_;
  std::optional<std::int64_t> duration_ns_;
  std::string roles_;
  std::string filter_text_;
  bool allow_loss_ = false;
  BlockTracerOptions tracer_;
  std::unique_ptr<ChildProcess> child_;
};

void CaptureCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"capture", "-o FILE [OPTIONS] [-- COMMAND...]", kText};
  auto add = options.add();
  add("output,o", po::value<std::string>(&output_), "trace to write; - is standard output");
  add("device,d", po::value<std::vector<std::string>>(),
      "record this device, with its partitions (repeatable; default: the lowest devices, so that "
      "no "
      "I/O is recorded twice)");
  add("duration", po::value<DurationArg>(), "stop after this time, e.g. 30s");
  add("pid", po::value<Counts>(), "only I/O that this process submits (repeatable)");
  add("comm", po::value<std::vector<std::string>>(),
      "only I/O of processes of this name (repeatable; 15 characters at most)");
  add("cgroup", po::value<std::string>(&tracer_.filter.cgroup),
      "only I/O submitted from this directory of the cgroup v2 filesystem and below");
  add("op", po::value<std::string>(),
      "only these operations: read,write,flush,discard,write-zeroes,other");
  add("min-latency", po::value<DurationArg>(), "only I/O that took this long from queue to end");
  add("sample", po::value<CountArg>(), "only one I/O in this many, by chance");
  add("ring", po::value<SizeArg>(), "buffer of each CPU for I/Os not yet written (default 1.4M)");
  add("roles", po::value<std::string>(&roles_),
      "more rules for what part a process plays, see rigel-capture(1)");
  add("allow-loss", "exit 0 even when I/Os were lost; they are counted in any case");
  add("self-stats", "what the recorder's BPF programs cost; measuring costs something too");
  options.positional("command", -1);
  const po::variables_map values = options.parse(arguments);
  if (output_.empty()) throw UsageError{"capture needs -o FILE"};
  if (values.count("command") != 0) command_ = values["command"].as<std::vector<std::string>>();
  if (values.count("duration") != 0) duration_ns_ = values["duration"].as<DurationArg>().ns;
  if (values.count("ring") != 0) tracer_.ring_bytes = values["ring"].as<SizeArg>().bytes;
  if (values.count("op") != 0) tracer_.filter.ops = parse_ops(values["op"].as<std::string>());
  if (values.count("min-latency") != 0) {
    tracer_.filter.least_latency_ns = values["min-latency"].as<DurationArg>().ns;
  }
  tracer_.filter.sample_one_in =
      static_cast<std::uint32_t>(count_of(values, "sample", 1, kMostSampled, 1));
  if (values.count("pid") != 0) tracer_.filter.pids = pids_of(values["pid"].as<Counts>());
  devices_ = different_texts(values, "device");
  tracer_.filter.comms = different_texts(values, "comm");
  allow_loss_ = values.count("allow-loss") != 0;
  tracer_.measure_cost = values.count("self-stats") != 0;
  filter_text_ = filter_text(values);
}

// Named devices as they are; otherwise all whose I/O does not come again from another device.
void CaptureCommand::choose_devices(TraceMeta& meta) {
  std::vector<std::string> names;
  if (!devices_.empty()) {
    for (const std::string& text : devices_) {
      const BlockDevice device = resolve_device(text);
      if (std::find(names.begin(), names.end(), device.info.name) != names.end()) {
        throw UsageError{fmt::format("--device {}: {} is named before", text, device.info.name)};
      }
      tracer_.devices.push_back(device.number);
      names.push_back(device.info.name);
    }
    meta.extra["devices"] = join(names, " ");
    return;
  }
  tracer_.devices_are_excluded = true;
  for (const BlockDevice& disk : all_disks()) {
    if (!disk.is_layered) continue;
    tracer_.devices.push_back(disk.number);
    names.push_back(disk.info.name);
  }
  meta.extra["devices"] =
      names.empty()
          ? "all"
          : fmt::format("all but {} (their I/O is recorded below them)", join(names, " "));
}

bool CaptureCommand::is_over(Clock::time_point start) {
  if (stop_flag()) return true;
  if (duration_ns_ && Clock::now() - start >= std::chrono::nanoseconds{*duration_ns_}) return true;
  return child_ && child_->has_ended();
}

void CaptureCommand::note_ledger(const RecordingResult& result, TraceMeta& meta) const {
  meta.extra["duration_ns"] = std::to_string(result.duration_ns);
  meta.extra["started"] = std::to_string(result.ledger.started());
  meta.extra["recorded"] = std::to_string(result.recorded);
  meta.extra["in_flight_at_start"] = std::to_string(result.in_flight_at_start);
  meta.extra["in_flight_at_stop"] = std::to_string(result.in_flight_at_stop);
  meta.extra["lost"] = std::to_string(result.ledger.lost());
}

void CaptureCommand::report(const RecordingResult& result, const TraceTables& tables) const {
  fmt::print(stderr, "{} I/Os started in {}: {} recorded, {} still in flight, {} lost\n",
             format_count(result.ledger.started()), format_duration(result.duration_ns),
             format_count(result.recorded), format_count(result.in_flight_at_stop),
             format_count(result.ledger.lost()));
  for (const Loss& loss : tables.losses) {
    fmt::print(stderr, "  lost {} between {} and {}: {}\n", format_count(loss.count),
               format_duration(loss.from_ns), format_duration(loss.to_ns), loss.cause);
  }
  if (result.in_flight_at_start != 0) {
    fmt::print(stderr, "{} more had begun before the recording\n",
               format_count(result.in_flight_at_start));
  }
  fmt::print(stderr, "recorder: {} CPU, {} resident\n", format_duration(result.cpu_ns),
             format_bytes(static_cast<std::uint64_t>(result.resident_kib) * 1024));
  if (result.ledger.started() + result.in_flight_at_start == 0) {
    fmt::print(stderr,
               "No block I/O was seen. Is it the right device? Oracle's Direct NFS and Exadata "
               "cells make none on this host: look for 'Direct NFS' or 'cell' in the alert log\n");
  }
}

void report_costs(const BlockTracer& tracer, const RecordingResult& result) {
  std::uint64_t total_ns = 0;
  for (const ProgramCost& cost : tracer.costs()) {
    total_ns += cost.run_ns;
    if (cost.runs == 0) continue;
    fmt::print(stderr, "  {:<16} {:>12} runs, {:>5.0f} ns each{}\n", cost.name,
               format_count(cost.runs),
               static_cast<double>(cost.run_ns) / static_cast<double>(cost.runs),
               cost.missed == 0 ? "" : fmt::format(", {} not run", format_count(cost.missed)));
  }
  const auto started = static_cast<double>(result.ledger.started());
  if (started == 0) return;
  fmt::print(stderr, "each I/O: {:.0f} ns in the kernel, {:.0f} ns in the recorder\n",
             static_cast<double>(total_ns) / started, static_cast<double>(result.cpu_ns) / started);
}

int CaptureCommand::exit_code(const RecordingResult& result) {
  const int command_code = child_ ? child_->end() : 0;
  if (result.ledger.lost() != 0 && !allow_loss_) return kExitFailed;
  if (const int code = stop_exit_code(); code != 0) return code;
  if (command_code != 0) {
    fmt::print(stderr, "rigel: {} ended with {}\n", command_.front(), command_code);
    return kExitFailed;
  }
  return kExitDone;
}

int CaptureCommand::run() {
  static_cast<void>(stop_flag());
  TraceTables tables;
  tables.meta = meta_of_this_host();
  choose_devices(tables.meta);
  if (!filter_text_.empty()) tables.meta.extra["filter"] = filter_text_;
  if (!command_.empty()) tables.meta.extra["command"] = join(command_, " ");
  const ProcessRoles roles = roles_.empty() ? ProcessRoles{} : ProcessRoles{roles_};
  RunningHost names{roles};
  BlockTracer tracer{tracer_};
  TraceWriter writer{create_file(output_)};
  if (!command_.empty()) child_ = std::make_unique<ChildProcess>(command_);

  Clock::time_point start;
  const auto started = [&] {
    start = Clock::now();
    fmt::print(stderr, "recording {} to {}\n", tables.meta.extra["devices"], output_);
    if (child_) child_->release();
  };
  const RecordingOutput output{&writer, [&](const TraceTables& so_far) { writer.flush(so_far); }};
  const RecordingResult result =
      record(tracer, names, tables, output, started, [&] { return is_over(start); });
  note_ledger(result, tables.meta);
  writer.finish(tables);
  report(result, tables);
  if (tracer_.measure_cost) report_costs(tracer, result);
  return exit_code(result);
}

}  // namespace

std::unique_ptr<Command> make_capture_command() {
  return std::make_unique<CaptureCommand>();
}

}  // namespace rigel
