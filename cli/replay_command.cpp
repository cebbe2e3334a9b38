#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/replay_report.hpp"
#include "cli/stop_signal.hpp"
#include "replay/replayer.hpp"
#include "replay/trace_record_source.hpp"
#include "replay/write_guard.hpp"
#include "traces/error.hpp"
#include "traces/trace_source.hpp"

namespace rigel {
namespace {

constexpr std::uint32_t kClosedLoopDepth = 32;
constexpr std::uint32_t kMaxDepth = 65536;

class ReplayCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"replay", "[OPTIONS] TRACE... --target DEVICE|FILE",
                           "Issues the I/O of a recording again, as it was recorded or faster, "
                           "and says how true to the recording it was."};
    options.add()("target", po::value(&target_), "device or file to issue the I/O on")(
        "speed", po::value<double>()->default_value(1, "1"), "X times as fast as recorded")(
        "flat-out", po::bool_switch(&flat_out_), "as fast as --depth outstanding I/Os allow")(
        "depth", po::value<std::uint32_t>(),
        "most I/Os outstanding on a target (4096; with --flat-out: 32)")(
        "device", po::value(&trace_options_.only_devices),
        "only I/O recorded on this device; may be repeated")(
        "fit", po::value<std::string>()->default_value("strict"),
        "addresses beyond the target: strict, wrap, scale or hash")(
        "align", po::bool_switch(&map_options_.align), "widen I/O to whole blocks of the target")(
        "spin", po::value<std::string>()->default_value("auto"),
        "wait for the next I/O spinning: auto, always or never")(
        "threads", po::value(&replay_options_.threads), "threads that issue I/O")(
        "buffered", po::bool_switch(&buffered_),
        "read and write through this host's page cache, not past it: that cache is measured too")(
        "write", po::bool_switch(&trace_options_.writes),
        "issue writes, discards, zeroes and flushes too: DESTROYS what is on the target")(
        "destroy-data", po::value(&destroy_),
        "write even though this very target carries a filesystem or label; may be repeated")(
        "format", po::value(&open_options_.format), "the trace's format, if not recognised")(
        "time-unit", po::value<std::string>(), "the trace's unit of time: ns, us, ms or s")(
        "record-page", po::value<SizeArg>(), "page size of formats of bare page numbers (4k)")(
        "json", po::bool_switch(&json_), "print the result as JSON");
    options.positional("trace", -1);
    const po::variables_map values = options.parse(arguments);
    if (values.count("trace") == 0) throw UsageError{"replay needs a trace"};
    if (target_.empty()) throw UsageError{"replay needs a --target"};
    traces_ = values["trace"].as<std::vector<std::string>>();
    set_up_timing(values);
    replay_options_.spin = parse_spin_mode(values["spin"].as<std::string>());
    map_options_.fit = parse_fit_mode(values["fit"].as<std::string>());
    if (values.count("time-unit") != 0) {
      open_options_.time_unit = values["time-unit"].as<std::string>();
    }
    if (values.count("record-page") != 0) {
      const std::uint64_t bytes = values["record-page"].as<SizeArg>().bytes;
      if (bytes == 0 || bytes > (std::uint64_t{1} << 30)) {
        throw UsageError{"--record-page: must be between 1 byte and 1 GiB"};
      }
      open_options_.record_page_bytes = static_cast<std::uint32_t>(bytes);
    }
    if (!destroy_.empty() && !trace_options_.writes) {
      throw UsageError{"--destroy-data needs --write"};
    }
  }

  int run() override {
    replay_options_.stop = &stop_flag();
    open_options_.columns = replay_columns();
    std::unique_ptr<TraceSource> trace = open_trace(traces_, open_options_);
    if (trace_options_.writes) refuse_unless_writable(target_, destroy_);
    std::vector<Target> targets;
    targets.emplace_back(target_,
                         trace_options_.writes ? TargetAccess::kReadWrite : TargetAccess::kReadOnly,
                         buffered_ ? TargetCaching::kBuffered : TargetCaching::kDirect);
    std::vector<TargetShape> shapes;
    for (const Target& target : targets) {
      shapes.push_back({target.path(), target.size_bytes(), target.block_bytes()});
    }
    map_options_.rules = {{"*", 0, 0}};
    TraceRecordSource source{std::move(trace), AddressMap{shapes, map_options_}, trace_options_};
    const ReplayResult result = replay(source, targets, replay_options_);
    if (json_) {
      fmt::print("{}\n", replay_json(result).dump(2));
    } else {
      fmt::print("{}", replay_text(result));
    }
    if (!result.source_error.empty()) throw Error{result.source_error};
    if (result.issue.engine_error != 0) {
      throw system_error("io_uring", "took no more I/O", result.issue.engine_error);
    }
    if (result.interrupted) return stop_exit_code();
    return result.fidelity.faithful ? kExitDone : kExitAnswerIsNo;
  }

 private:
  void set_up_timing(const po::variables_map& values) {
    trace_options_.speed = values["speed"].as<double>();
    if (!std::isfinite(trace_options_.speed) || trace_options_.speed <= 0) {
      throw UsageError{"--speed: must be more than 0"};
    }
    if (flat_out_ && !values["speed"].defaulted()) {
      throw UsageError{"--flat-out and --speed exclude each other"};
    }
    trace_options_.timed = !flat_out_;
    replay_options_.closed_loop = flat_out_;
    if (flat_out_) replay_options_.depth = kClosedLoopDepth;
    if (values.count("depth") != 0) {
      replay_options_.depth = values["depth"].as<std::uint32_t>();
      if (replay_options_.depth == 0 || replay_options_.depth > kMaxDepth) {
        throw UsageError{fmt::format("--depth: must be between 1 and {}", kMaxDepth)};
      }
    }
  }

  std::vector<std::string> traces_;
  std::string target_;
  std::vector<std::string> destroy_;
  bool flat_out_ = false;
  bool buffered_ = false;
  bool json_ = false;
  OpenOptions open_options_;
  AddressMapOptions map_options_;
  TraceReplayOptions trace_options_;
  ReplayOptions replay_options_;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace rigel
