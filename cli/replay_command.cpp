#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/replay_dry_run.hpp"
#include "cli/replay_options.hpp"
#include "cli/replay_progress.hpp"
#include "cli/replay_report.hpp"
#include "cli/result_chart.hpp"
#include "cli/run_trace_file.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_copy.hpp"
#include "replay/replayer.hpp"
#include "replay/write_guard.hpp"
#include "traces/error.hpp"
#include "traces/version.hpp"

namespace rigel {
namespace {

class ReplayCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"replay", "[OPTIONS] TRACE... --target DEVICE|FILE",
                           "Issues the I/O of a recording again, as it was recorded or at another "
                           "pace, and says how true to the recording it was."};
    options_.add_to(options);
    options.add()("json", po::bool_switch(&json_), "print the result as JSON");
    options.positional("trace", -1);
    chart_.add_options(options);
    const po::variables_map values = options.parse(arguments);
    options_.set(values);
    chart_.set(values, read_files());
    if (chart_.wanted() && options_.dry_run()) {
      throw UsageError{"--dry-run measures nothing that --plot or --svg could show"};
    }
  }

  int run() override {
    refuse_paths();
    std::vector<Target> targets;
    const bool writes = options_.writes() && !options_.dry_run();
    for (const std::string& path : options_.target_paths()) {
      targets.emplace_back(path, writes ? TargetAccess::kReadWrite : TargetAccess::kReadOnly,
                           options_.caching());
    }
    const std::unique_ptr<RecordSource> source = options_.make_source(targets);
    if (options_.dry_run()) return dry_run(*source, targets);
    return run_replay(*source, targets);
  }

 private:
  [[nodiscard]] std::vector<std::string> read_files() const {
    std::vector<std::string> files = options_.traces();
    files.insert(files.end(), options_.target_paths().begin(), options_.target_paths().end());
    return files;
  }

  // Everything that can be refused is, before anything is opened for writing.
  void refuse_paths() const {
    for (const std::string& path : options_.target_paths()) {
      refuse_to_overwrite(options_.traces(), path);
      if (options_.writes()) refuse_unless_writable(path, options_.destroy());
    }
    refuse_to_overwrite(read_files(), options_.record_path());
    refuse_to_overwrite(read_files(), options_.series_path());
  }

  int dry_run(RecordSource& source, std::span<const Target> targets) const {
    const ReplayPlan plan =
        plan_replay(source, targets.size(), options_.replay().timing, stop_flag());
    if (json_) {
      fmt::print("{}\n", plan_json(plan, targets, options_.writes()).dump(2));
    } else {
      fmt::print("{}", plan_text(plan, targets, options_.writes()));
    }
    return stop_exit_code();
  }

  int run_replay(RecordSource& source, std::span<const Target> targets) const {
    ReplayOptions replay_options = options_.replay();
    replay_options.stop = &stop_flag();
    const std::unique_ptr<RunTraceFile> recording = make_recording(targets, source);
    if (recording) replay_options.recorder = &recording->recorder();
    const bool live = isatty(STDERR_FILENO) != 0 || options_.interval_without_series();
    ReplayProgress progress{targets, options_.series_path(), live, options_.table_style()};
    if (progress.is_wanted()) {
      replay_options.on_sample = [&progress](const ActivitySample& sample) {
        progress.add(sample);
      };
    }
    ReplayResult result = replay(source, targets, replay_options);
    result.rates = options_.ramp();
    if (json_) {
      fmt::print("{}\n", replay_json(result).dump(2));
    } else {
      fmt::print("{}", replay_text(result, device_rows(targets), options_.table_style()));
    }
    if (chart_.wanted()) chart_.show(replay_json(result));
    if (recording) recording->finish();
    progress.finish();
    return conclude(result);
  }

  static int conclude(const ReplayResult& result) {
    if (!result.source_error.empty()) throw Error{result.source_error};
    if (result.issue.engine_error != 0) {
      throw system_error("io_uring", "took no more I/O", result.issue.engine_error);
    }
    if (result.failed_fast) {
      throw system_error(result.targets[result.issue.first_error_target].path,
                         fmt::format("a {} failed", op_name(result.issue.first_error_op)),
                         result.issue.first_error);
    }
    if (result.interrupted) return stop_exit_code();
    return result.fidelity.faithful ? kExitDone : kExitAnswerIsNo;
  }

  std::unique_ptr<RunTraceFile> make_recording(std::span<const Target> targets,
                                               const RecordSource& source) const {
    const std::string& path = options_.record_path();
    if (path.empty()) return nullptr;
    TraceMeta meta;
    meta.source = fmt::format("rigel {} replay", kVersion);
    meta.extra["replayed"] = fmt::format("{}", fmt::join(options_.traces(), " "));
    return std::make_unique<RunTraceFile>(
        path, std::move(meta), targets,
        [&source](TraceTables& tables) { source.add_streams(tables); });
  }

  ReplayCommandOptions options_;
  ResultChart chart_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace rigel
