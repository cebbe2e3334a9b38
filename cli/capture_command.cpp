// rigel capture: records the block I/O of this host.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>

#include "capture/block_devices.hpp"
#include "capture/block_tracer.hpp"
#include "capture/flight_ring.hpp"
#include "capture/host_names.hpp"
#include "capture/privileges.hpp"
#include "capture/recorder.hpp"
#include "capture/recording_files.hpp"
#include "cli/capture_options.hpp"
#include "cli/capture_report.hpp"
#include "cli/child_process.hpp"
#include "cli/command.hpp"
#include "cli/curve_table.hpp"
#include "cli/live_table.hpp"
#include "cli/prometheus_file.hpp"
#include "cli/stop_signal.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"
#include "traces/version.hpp"

namespace rigel {
namespace {

using Clock = std::chrono::steady_clock;

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string{separator}) + word;
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

std::atomic<bool> dump_requested{false};

void request_dump(int) {
  dump_requested = true;
}

// Where the records go, as asked.
struct Sinks {
  std::unique_ptr<RecordingFiles> files;
  std::unique_ptr<FlightRing> ring;
  std::unique_ptr<LiveTable> live;
  std::unique_ptr<RecordedCurve> curve;
  std::unique_ptr<PrometheusFile> prometheus;
  RecordingSinks all;

  explicit Sinks(const CaptureRequest& request);

 private:
  void add(auto& sink) {
    if (sink) all.add(*sink);
  }
};

Sinks::Sinks(const CaptureRequest& request) {
  if (request.ring_ns != 0) {
    const auto written = [](const std::string& path, std::uint64_t records) {
      fmt::print(stderr, "{}: {} I/Os\n", path, format_count(records));
    };
    ring = std::make_unique<FlightRing>(FlightRingOptions{.span_ns = request.ring_ns,
                                                          .trigger_ns = request.trigger_ns,
                                                          .path = request.output,
                                                          .keep = request.keep},
                                        written);
    std::signal(SIGUSR1, request_dump);
  } else if (!request.output.empty()) {
    files = std::make_unique<RecordingFiles>(
        RecordingFilesOptions{.path = request.output,
                              .rotate_bytes = request.rotate_bytes,
                              .rotate_ns = request.rotate_ns,
                              .keep = request.keep,
                              .is_numbered = request.window.has_value()});
  }
  if (request.live) live = std::make_unique<LiveTable>(request.interval_ns);
  if (request.live_curve) {
    curve = std::make_unique<RecordedCurve>(request.interval_ns,
                                            static_cast<std::uint32_t>(request.page_bytes));
  }
  if (!request.prometheus.empty()) {
    prometheus = std::make_unique<PrometheusFile>(request.prometheus, request.interval_ns);
  }
  add(files);
  add(ring);
  add(live);
  add(curve);
  add(prometheus);
}

class CaptureCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    request_ = parse_capture_request(arguments);
  }
  int run() override;

 private:
  void choose_devices(TraceMeta& meta);
  void choose_sample();
  [[nodiscard]] TraceMeta describe();
  [[nodiscard]] bool is_over(const Sinks* sinks);
  [[nodiscard]] std::string destination(const Sinks& sinks) const;
  // Waits for the window, if there is one; false when it will not come.
  [[nodiscard]] bool await_window();
  void hold_child();
  void announce(const std::string& devices, const std::string& to);
  [[nodiscard]] RecordingResult record_once(const TraceMeta& meta, const ProcessRoles& roles);
  [[nodiscard]] RecordingResult sample_once(const TraceMeta& meta);
  [[nodiscard]] int exit_code(std::uint64_t lost);

  CaptureRequest request_;
  std::unique_ptr<ChildProcess> child_;
  std::optional<Clock::time_point> start_;  // of the first recording
  std::time_t window_end_ = 0;
};

// Named devices as they are; otherwise all whose I/O does not come again from another device.
void CaptureCommand::choose_devices(TraceMeta& meta) {
  std::vector<std::string> names;
  if (!request_.devices.empty()) {
    for (const std::string& text : request_.devices) {
      const BlockDevice device = resolve_device(text);
      if (std::find(names.begin(), names.end(), device.info.name) != names.end()) {
        throw UsageError{fmt::format("--device {}: {} is named before", text, device.info.name)};
      }
      request_.tracer.devices.push_back(device.number);
      names.push_back(device.info.name);
    }
    meta.extra["devices"] = join(names, " ");
    return;
  }
  request_.tracer.devices_are_excluded = true;
  for (const BlockDevice& disk : all_disks()) {
    if (!disk.is_layered) continue;
    request_.tracer.devices.push_back(disk.number);
    names.push_back(disk.info.name);
  }
  meta.extra["devices"] =
      names.empty()
          ? "all"
          : fmt::format("all but {} (their I/O is recorded below them)", join(names, " "));
}

// Pages are of whole disks: a partition's of the disk that it is part of.
void CaptureCommand::choose_sample() {
  std::vector<BlockDevice> disks = all_disks();
  if (!request_.devices.empty()) {
    disks.clear();
    for (const std::string& text : request_.devices) {
      const BlockDevice device = resolve_device(text);
      disks.push_back(device.info.parent.empty() ? device : resolve_device(device.info.parent));
    }
  }
  request_.tracer.filter.ops &=
      1U << static_cast<unsigned>(IoOp::kRead) | 1U << static_cast<unsigned>(IoOp::kWrite);
  request_.tracer.page_sample = {.page_bytes = static_cast<std::uint32_t>(request_.page_bytes),
                                 .disks = spaces_of(disks)};
}

TraceMeta CaptureCommand::describe() {
  TraceMeta meta = meta_of_this_host();
  choose_devices(meta);
  if (!request_.filter_text.empty()) meta.extra["filter"] = request_.filter_text;
  if (!request_.command.empty()) meta.extra["command"] = join(request_.command, " ");
  return meta;
}

bool CaptureCommand::is_over(const Sinks* sinks) {
  if (sinks != nullptr && sinks->ring && dump_requested.exchange(false)) sinks->ring->request();
  if (stop_flag()) return true;
  if (request_.most_bytes != 0 && sinks->files->bytes() >= request_.most_bytes) return true;
  if (request_.window && std::time(nullptr) >= window_end_) return true;
  if (request_.duration_ns && start_ &&
      Clock::now() - *start_ >= std::chrono::nanoseconds{*request_.duration_ns}) {
    return true;
  }
  return child_ && child_->has_ended();
}

std::string CaptureCommand::destination(const Sinks& sinks) const {
  if (sinks.ring) {
    return fmt::format("memory, the last {}; kill -USR1 {} writes it",
                       format_duration(request_.ring_ns), getpid());
  }
  return sinks.files ? sinks.files->path() : "no file";
}

bool CaptureCommand::await_window() {
  if (!request_.window) return true;
  const DailyWindow::Stretch next = request_.window->at(std::time(nullptr));
  window_end_ = next.end;
  if (std::time(nullptr) < next.begin) {
    std::tm local{};
    localtime_r(&next.begin, &local);
    fmt::print(stderr, "waiting until {:%Y-%m-%d %H:%M}\n", local);
  }
  while (std::time(nullptr) < next.begin) {
    if (stop_flag()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  return true;
}

// Before a file is made: a command that cannot run costs no earlier recording.
void CaptureCommand::hold_child() {
  if (request_.command.empty()) return;
  child_ = std::make_unique<ChildProcess>(
      request_.command, request_.output == "-" ? ChildProcess::Output::kStandardError
                                               : ChildProcess::Output::kInherited);
}

void CaptureCommand::announce(const std::string& devices, const std::string& to) {
  if (!start_) start_ = Clock::now();
  // The next window has programs to load and files to make.
  if (!request_.window) drop_draining_privileges();
  fmt::print(stderr, "recording {} to {}\n", devices, to);
  if (child_) child_->release();
}

RecordingResult CaptureCommand::record_once(const TraceMeta& meta, const ProcessRoles& roles) {
  TraceTables tables;
  tables.meta = meta;
  RunningHost names{roles};
  BlockTracer tracer{request_.tracer};
  hold_child();
  Sinks sinks{request_};
  const RecordingResult result = record(
      tracer, names, tables, sinks.all,
      [&] { announce(tables.meta.extra["devices"], destination(sinks)); },
      [&] { return is_over(&sinks); });
  note_ledger(result, tables.meta);
  sinks.all.finish(tables);
  report_recording(result, tables);
  if (request_.tracer.measure_cost) report_costs(tracer, result.ledger.started(), result.cpu_ns);
  return result;
}

RecordingResult CaptureCommand::sample_once(const TraceMeta& meta) {
  BlockTracer tracer{request_.tracer};
  hold_child();
  KernelCurve curve{request_.interval_ns, static_cast<std::uint32_t>(request_.page_bytes)};
  std::vector<Loss> losses;
  const RecordingResult result = record_pages(
      tracer, losses, curve, [&] { announce(meta.extra.at("devices"), "no file"); },
      [&] { return is_over(nullptr); });
  const page_accesses all = tracer.accesses();
  curve.finish(all);
  report_sampling(result, all, losses);
  if (request_.tracer.measure_cost) report_costs(tracer, all.ios, result.cpu_ns);
  return result;
}

int CaptureCommand::exit_code(std::uint64_t lost) {
  const int command_code = child_ ? child_->end() : 0;
  if (lost != 0 && !request_.allow_loss) return kExitFailed;
  if (const int code = stop_exit_code(); code != 0) return code;
  if (command_code != 0) {
    fmt::print(stderr, "rigel: {} ended with {}\n", request_.command.front(), command_code);
    return kExitFailed;
  }
  return kExitDone;
}

int CaptureCommand::run() {
  static_cast<void>(stop_flag());
  const TraceMeta meta = describe();
  if (request_.needs_pages_only()) choose_sample();
  const ProcessRoles roles = request_.roles.empty() ? ProcessRoles{} : ProcessRoles{request_.roles};
  std::uint64_t lost = 0;
  while (await_window()) {
    try {
      const RecordingResult result =
          request_.tracer.page_sample ? sample_once(meta) : record_once(meta, roles);
      lost += result.ledger.lost();
    } catch (const ReaderGone& gone) {
      // Of what is printed there is nobody left to read; of a recording, the rest is missing.
      if (request_.output != "-") throw;
      throw Error{fmt::format("{}: the rest of the recording is lost", gone.what())};
    }
    const bool is_once = !request_.window || std::time(nullptr) < window_end_;
    if (is_once) break;
  }
  return exit_code(lost);
}

}  // namespace

std::unique_ptr<Command> make_capture_command() {
  return std::make_unique<CaptureCommand>();
}

}  // namespace rigel
