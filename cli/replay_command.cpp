#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/replay_options.hpp"
#include "cli/replay_report.hpp"
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
    options_.set(options.parse(arguments));
  }

  int run() override {
    ReplayOptions replay_options = options_.replay();
    replay_options.stop = &stop_flag();
    // Everything that can be refused is, before anything is opened for writing.
    for (const std::string& path : options_.target_paths()) {
      if (options_.writes()) refuse_unless_writable(path, options_.destroy());
    }
    std::vector<Target> targets;
    for (const std::string& path : options_.target_paths()) {
      targets.emplace_back(path,
                           options_.writes() ? TargetAccess::kReadWrite : TargetAccess::kReadOnly,
                           options_.caching());
    }
    const std::unique_ptr<RecordSource> source = options_.make_source(targets);
    std::unique_ptr<RunTraceFile> recording = make_recording(targets, *source);
    if (recording) replay_options.recorder = &recording->recorder();
    ReplayResult result = replay(*source, targets, replay_options);
    result.rates = options_.ramp();
    if (json_) {
      fmt::print("{}\n", replay_json(result).dump(2));
    } else {
      fmt::print("{}", replay_text(result));
    }
    if (recording) recording->finish();
    if (!result.source_error.empty()) throw Error{result.source_error};
    if (result.issue.engine_error != 0) {
      throw system_error("io_uring", "took no more I/O", result.issue.engine_error);
    }
    if (result.interrupted) return stop_exit_code();
    return result.fidelity.faithful ? kExitDone : kExitAnswerIsNo;
  }

 private:
  std::unique_ptr<RunTraceFile> make_recording(std::span<const Target> targets,
                                               const RecordSource& source) const {
    const std::string& path = options_.record_path();
    if (path.empty()) return nullptr;
    refuse_to_overwrite(options_.traces(), path);
    refuse_to_overwrite(options_.target_paths(), path);
    TraceMeta meta;
    meta.source = fmt::format("rigel {} replay", kVersion);
    meta.extra["replayed"] = fmt::format("{}", fmt::join(options_.traces(), " "));
    return std::make_unique<RunTraceFile>(
        path, std::move(meta), targets,
        [&source](TraceTables& tables) { source.add_streams(tables); });
  }

  ReplayCommandOptions options_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace rigel
