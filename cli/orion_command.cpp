// rigel orion: what ORION does. Reads the .lun file, looks whether the LUNs can give an honest
// answer, runs the ladder and leaves ORION's files behind.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/orion_extras.hpp"
#include "cli/orion_options.hpp"
#include "cli/run_trace_file.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_copy.hpp"
#include "replay/allowed_cpus.hpp"
#include "replay/lun_check.hpp"
#include "replay/lun_list.hpp"
#include "replay/orion_runner.hpp"
#include "replay/target.hpp"
#include "replay/uring_engine.hpp"
#include "replay/write_guard.hpp"
#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/load_curve.hpp"
#include "traces/quantity.hpp"
#include "traces/version.hpp"

namespace rigel {
namespace {

// From here on a -cache_size is taken for bytes given where MB are wanted.
constexpr std::uint64_t kHugeCacheBytes = std::uint64_t{1} << 40;

class OrionCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    options_ = parse_orion_options(arguments);
  }

  int run() override {
    ask_about_huge_cache();
    open_luns();
    if (parameters().num_disks == 0) {
      parameters().num_disks = static_cast<std::uint32_t>(luns_.size());
    }
    plan_ = plan_orion(parameters());
    doubt_luns();
    describe_run();
    run_points();
    write_files();
    conclude();
    return stop_exit_code();
  }

 private:
  OrionParameters& parameters() { return options_.parameters; }

  void ask_about_huge_cache();
  void open_luns();
  void doubt_luns();
  void describe_run();
  IoEngine& new_engine(std::uint32_t thread, std::uint32_t most_outstanding);
  void run_points();
  void run_point(OrionRunner& runner, std::uint32_t number);
  void take(const OrionPointResult& result);
  void write_files();
  void conclude();

  // ORION's own text: on standard output, unless that is for JSON.
  void say(std::string_view text) {
    fmt::print(options_.json ? stderr : stdout, "{}", text);
    std::fflush(options_.json ? stderr : stdout);
  }

  OrionOptions options_;
  OrionPlan plan_;
  std::vector<Target> luns_;
  std::unique_ptr<OrionVolume> volume_;
  std::unique_ptr<RunTraceFile> recording_;
  std::vector<std::unique_ptr<UringEngine>> engines_;  // of the issuing threads
  std::set<std::string> notes_;                        // of all engines
  std::uint64_t seed_ = 0;
  std::string run_name_;
  std::string trace_text_;
  OrionReport report_;
  std::vector<OrionExtra> extras_;  // one for each of report_.points
  HitOutlook outlook_;
  std::map<int, std::uint64_t> errors_;
};

bool has_work(const OrionPlan& plan) {
  return std::any_of(plan.points.begin(), plan.points.end(),
                     [](OrionPoint point) { return !(point == OrionPoint{}); });
}

void OrionCommand::ask_about_huge_cache() {
  const std::uint64_t bytes = parameters().cache_bytes.value_or(0);
  if (bytes < kHugeCacheBytes || options_.huge_cache) return;
  const std::string doubt =
      fmt::format("-cache_size is in MB: {} asks for {} of random I/O before each sequential point",
                  bytes >> 20, format_bytes(bytes));
  if (isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "rigel: {}. Is that meant? [y/N] ", doubt);
    std::string answer;
    std::getline(std::cin, answer);
    if (answer == "y" || answer == "Y") return;
  }
  throw UsageError{doubt + " (--huge-cache if that is meant)"};
}

void OrionCommand::open_luns() {
  const std::string list = parameters().test_name + ".lun";
  std::vector<std::string> paths;
  try {
    paths = read_lun_list(list);
  } catch (const Error& error) {
    throw Error{fmt::format(
        "rwbase_read_luncfg: {}; {} must name the LUNs, a device or file a line (-testname says "
        "which file)",
        error.what(), list)};
  }
  const bool writes = parameters().write_percent > 0;
  for (const std::string& path : paths) {
    if (writes) refuse_unless_writable(path, options_.destroy_data);
  }
  std::vector<std::uint64_t> sizes;
  for (const std::string& path : paths) {
    refuse_to_overwrite({path, list}, options_.record_path);
    luns_.emplace_back(path, writes ? TargetAccess::kReadWrite : TargetAccess::kReadOnly);
    sizes.push_back(luns_.back().size_bytes());
    report_.luns.push_back({path, luns_.back().size_bytes()});
    if (parameters().small_bytes % luns_.back().block_bytes() != 0 ||
        parameters().large_bytes % luns_.back().block_bytes() != 0) {
      throw UsageError{fmt::format("{}: I/O sizes must be multiples of its blocks of {} bytes",
                                   path, luns_.back().block_bytes())};
    }
    if (writes) {
      fmt::print(stderr, "rigel: {} ({}) will be written: what is on it is lost\n", path,
                 format_bytes(luns_.back().size_bytes()));
    }
  }
  volume_ = std::make_unique<OrionVolume>(std::move(sizes),
                                          parameters().raid0 ? parameters().stripe_bytes : 0);
}

void OrionCommand::doubt_luns() {
  seed_ = options_.seed ? *options_.seed : std::random_device{}() * 0x100000001ULL + 1;
  const bool any_writes = parameters().write_percent == 100;
  std::vector<std::string> doubts;
  for (const Target& lun : luns_) {
    if (any_writes) break;  // nothing is read
    std::string doubt = doubt_about(lun.path(), check_lun(lun, seed_));
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  }
  const std::uint64_t span = volume_->bytes();
  for (const std::uint64_t bytes : {parameters().small_bytes, parameters().large_bytes}) {
    if (volume_->slots(bytes) == 0) {
      throw UsageError{fmt::format("the LUNs are smaller than one I/O of {}", format_bytes(bytes))};
    }
  }
  if (options_.array_cache_bytes >= span) {
    doubts.push_back(fmt::format("the LUNs ({}) fit into the cache ({}): no disk will be measured",
                                 format_bytes(span), format_bytes(options_.array_cache_bytes)));
  }
  std::string all;
  for (const std::string& doubt : doubts) all += (all.empty() ? "" : "\nrigel: ") + doubt;
  if (all.empty()) return;
  if (!options_.doubtful_luns) throw Error{all + " (--doubtful-luns measures it all the same)"};
  fmt::print(stderr, "rigel: warning: {}\n", all);
}

void OrionCommand::describe_run() {
  const std::time_t now = std::time(nullptr);
  run_name_ = fmt::format("{}_{:%Y%m%d_%H%M}", parameters().test_name, fmt::localtime(now));
  const OrionParameters& p = parameters();
  report_.tool = fmt::format("rigel {}", kVersion);
  report_.command_line = options_.command_line;
  report_.test_name = p.test_name;
  report_.small_bytes = p.small_bytes;
  report_.large_bytes = p.large_bytes;
  report_.sequential = p.sequential;
  report_.stream_io = p.stream_io;
  report_.stripe_bytes = p.raid0 ? p.stripe_bytes : 0;
  report_.write_percent = p.write_percent;
  report_.cache_bytes = p.cache_bytes;
  report_.duration_seconds = static_cast<double>(p.duration_ns) / 1e9;
  report_.basic_matrix = p.matrix == OrionMatrix::kBasic;
  report_.small_columns = plan_.small_columns;
  report_.large_columns = plan_.large_columns;
  report_.total_points = plan_.points.size();
  report_.minutes = estimated_minutes(p, plan_);
  say(orion_console_opening(report_, options_.style, run_name_));
  fmt::print(stderr, "rigel: seed {}\n", seed_);
}

IoEngine& OrionCommand::new_engine(std::uint32_t thread, std::uint32_t most_outstanding) {
  engines_.resize(std::max<std::size_t>(engines_.size(), thread + 1));
  UringOptions options;
  options.max_in_flight = most_outstanding;
  engines_[thread] = std::make_unique<UringEngine>(luns_, options);
  return *engines_[thread];
}

void OrionCommand::run_points() {
  MonotonicClock clock;
  const DataPattern pattern{{.compressible = 0, .dedupe = 0, .seed = seed_}};
  OrionRunOptions run;
  run.seed = seed_;
  run.no_repeat = options_.no_repeat;
  run.cpus = static_cast<std::uint32_t>(allowed_cpus().size());
  run.stop = &stop_flag();
  if (!options_.record_path.empty()) {
    TraceMeta meta;
    meta.source = report_.tool + " orion";
    meta.extra["command_line"] = report_.command_line;
    recording_ = std::make_unique<RunTraceFile>(options_.record_path, std::move(meta), luns_);
    const std::uint32_t most = OrionRunner::most_outstanding(parameters(), plan_.points);
    for (std::uint32_t i = 0; i < OrionRunner::most_threads(parameters(), plan_.points, run.cpus);
         ++i) {
      run.recording.push_back(&recording_->recorder().add_lane(most));
    }
    recording_->recorder().start(clock.now_ns());
  }
  if (options_.array_cache_bytes > 0) {
    outlook_ = HitOutlook{volume_->slots(parameters().small_bytes),
                          options_.array_cache_bytes / parameters().small_bytes};
  }
  const auto make_engine = [this](std::uint32_t thread, std::uint32_t most) -> IoEngine& {
    return new_engine(thread, most);
  };
  OrionRunner runner{parameters(), *volume_, make_engine, clock, pattern, run};
  for (std::uint32_t number = 0; number < plan_.points.size() && !stop_flag(); ++number) {
    run_point(runner, number);
  }
  for (const std::string& note : notes_) fmt::print(stderr, "rigel: note: {}\n", note);
  if (recording_) recording_->finish();
}

void OrionCommand::run_point(OrionRunner& runner, std::uint32_t number) {
  const OrionPoint point = plan_.points[number];
  if (point == OrionPoint{}) return;
  if (warms_cache_before(parameters(), point)) {
    const OrionPointResult warm = runner.warm_cache(number);
    if (warm.stopped) return;
  }
  if (options_.verbose) {
    say(fmt::format("Running point: Small={}, Large={}\nPoint {} out of {}\n", point.small,
                    point.large, number + 1, plan_.points.size()));
  }
  take(runner.run_point(point, number));
  for (const auto& engine : engines_) notes_.insert(engine->notes().begin(), engine->notes().end());
}

void OrionCommand::take(const OrionPointResult& result) {
  for (const auto& [code, count] : result.errors) errors_[code] += count;
  const OrionMeasuredPoint& measured = result.measured;
  const double expected_hits = outlook_.expect(result.random_small_reads);
  if (result.stopped) return;  // half a point is no point
  if (measured.small.ios() + measured.large.ios() == 0) {
    fmt::print(stderr, "rigel: Small={}, Large={}: no I/O was answered in time\n",
               measured.small_outstanding, measured.large_outstanding);
    return;
  }
  const std::string lines = orion_verbose_lines(measured);
  trace_text_ += lines;
  if (options_.verbose) say(lines);
  report_.points.push_back(measured);
  extras_.push_back({result.seconds, expected_hits});
}

void write_text(const std::string& path, const std::string& text) {
  const std::unique_ptr<ByteSink> file = create_file(path);
  file->write(std::as_bytes(std::span{text}));
  file->close();
}

void OrionCommand::write_files() {
  const OrionStyle style = options_.style;
  write_text(run_name_ + "_summary.txt", orion_summary(report_, style));
  write_text(run_name_ + "_iops.csv", orion_iops_csv(report_, style));
  write_text(run_name_ + "_mbps.csv", orion_mbps_csv(report_, style));
  write_text(run_name_ + "_lat.csv", orion_latency_csv(report_, style));
  write_text(run_name_ + "_hist.txt", orion_histograms(report_));
  write_text(run_name_ + "_trace.txt", trace_text_);
  write_text(run_name_ + "_percentiles.csv", orion_percentiles_csv(report_, extras_));
  write_text(run_name_ + "_series.csv", orion_series_csv(report_, extras_));
}

void OrionCommand::conclude() {
  if (options_.json) {
    fmt::print("{}\n", orion_json(report_, extras_, seed_).dump(2));
  } else {
    say(orion_findings(report_, options_.style));
  }
  for (const std::string& doubt : doubts_about_points(report_)) {
    fmt::print(stderr, "rigel: {}\n", doubt);
  }
  for (const auto& [code, count] : errors_) {
    fmt::print(stderr, "rigel: {} I/Os failed: {}\n", count, std::strerror(code));
  }
  if (report_.points.empty() && !stop_flag() && has_work(plan_)) {
    throw Error{"no point was measured"};
  }
  if (!errors_.empty()) throw Error{"some I/Os failed; the figures are of those that did not"};
}

}  // namespace

std::unique_ptr<Command> make_orion_command() {
  return std::make_unique<OrionCommand>();
}

}  // namespace rigel
