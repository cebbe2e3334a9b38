#include "cli/replay_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::uint32_t kClosedLoopDepth = 32;
constexpr std::uint32_t kMaxDepth = 65536;
constexpr std::uint32_t kMaxInFlight = 65536;  // on all targets, unless --depth says otherwise
constexpr unsigned kMaxCopies = 1024;
constexpr unsigned kMaxThreads = 1024;
constexpr std::int64_t kLevelNs = 10'000'000'000;
constexpr double kMinSpeed = 1e-6;
constexpr double kMaxSpeed = 1e6;
constexpr std::int64_t kLongestNs = std::int64_t{365} * 86'400 * 1'000'000'000;
constexpr std::int64_t kMinIntervalNs = 10'000'000;

// As deep as production's queues get, yet of bounded memory however many the targets.
std::uint32_t open_loop_depth(std::size_t targets) {
  return std::clamp(kMaxInFlight / static_cast<std::uint32_t>(targets), 64U, 4096U);
}

// An option's time, when it is given: more than nothing, less than a year.
std::int64_t positive_time(const po::variables_map& values, const char* name) {
  const std::int64_t ns = values[name].as<DurationArg>().ns;
  if (ns <= 0 || ns > kLongestNs) {
    throw UsageError{fmt::format("--{}: must be more than 0 and at most 365 days", name)};
  }
  return ns;
}

double share_of(const po::variables_map& values, const char* name) {
  const double share = values[name].as<NumberArg>().value;
  if (!(share >= 0 && share <= 1)) {
    throw UsageError{fmt::format("--{}: must be between 0 and 1", name)};
  }
  return share;
}

// At most one of these may be given.
void exclude_each_other(const po::variables_map& values, std::vector<const char*> names) {
  const char* first = nullptr;
  for (const char* name : names) {
    if (values.count(name) == 0 || values[name].defaulted()) continue;
    if (values[name].value().type() == typeid(bool) && !values[name].as<bool>()) continue;
    if (first != nullptr) {
      throw UsageError{fmt::format("--{} and --{} exclude each other", first, name)};
    }
    first = name;
  }
}

// "sda=/dev/sdb@10G": a device's name may hold '=' and a path '@' only where that leaves no doubt.
struct MapText {
  std::string device;
  std::string target;
  std::uint64_t base_bytes = 0;
};
MapText parse_map(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw UsageError{fmt::format("--map {}: write it DEVICE=TARGET[@OFFSET]", text)};
  }
  MapText map{text.substr(0, equals), text.substr(equals + 1), 0};
  const std::size_t at = map.target.rfind('@');
  if (at != std::string::npos && map.target.find('/', at) == std::string::npos) {
    map.base_bytes = parse_bytes(map.target.substr(at + 1));
    map.target.resize(at);
  }
  return map;
}

}  // namespace

void ReplayCommandOptions::add_to(CommandOptions& options) {
  options.add()("target", po::value<std::string>(), "device or file to issue the I/O on")(
      "map", po::value<std::vector<std::string>>(),
      "DEVICE=TARGET[@OFFSET],... the I/O of a recorded device goes there")(
      "fit", po::value<std::string>()->default_value("strict"),
      "addresses beyond the target: strict, wrap, scale or hash")(
      "align", po::bool_switch(&map_.align), "widen I/O to whole blocks of the target")(
      "timing", po::value<std::string>()->default_value("original"),
      "original: at the recorded times; dependent: each stream at its own pace, its think times "
      "kept "
      "and nothing issued before what it waited for")(
      "speed", po::value<NumberArg>()->default_value(NumberArg{1}, "1"),
      "X times as fast as recorded")("flat-out", po::bool_switch(&flat_out_),
                                     "as fast as --depth outstanding I/Os allow")(
      "iops", po::value<NumberArg>(), "the same pattern at this mean rate")(
      "iops-ramp", po::value<std::string>(),
      "A:B:STEP the same pattern at these rates, each for --level-duration")(
      "level-duration", po::value<DurationArg>(), "of each rate of --iops-ramp (10s)")(
      "loop", po::value<CountArg>(), "go through the trace N times")(
      "duration", po::value<DurationArg>(), "repeat or cut the trace to this time")(
      "warm-up", po::value<DurationArg>(), "measure only what is due after this time")(
      "scale", po::value<CountArg>()->default_value(CountArg{1}, "1"),
      "N copies of the workload at once")(
      "scale-mode", po::value<std::string>()->default_value("region"),
      "each copy in its own region, the same place later (shift), or the same place: region, "
      "shift, same")("scale-shift", po::value<DurationArg>(), "time between copies, for shift")(
      "depth", po::value<CountArg>(),
      "most I/Os outstanding on a target (4096, less with over 16 targets; with --flat-out: 32)")(
      "spin", po::value<std::string>()->default_value("auto"),
      "wait for the next I/O spinning: auto, always or never")(
      "threads", po::value<CountArg>(), "that issue I/O (one a target, one a CPU at most)")(
      "buffered", po::bool_switch(&buffered_),
      "read and write through this host's page cache, not past it: that cache is measured too")(
      "write", po::bool_switch(&trace_.writes),
      "issue writes, discards, zeroes and flushes too: DESTROYS what is on the target")(
      "destroy-data", po::value(&destroy_),
      "write even though this very target carries a filesystem or label; may be repeated")(
      "dry-run", po::bool_switch(&dry_run_), "say what would happen, and issue nothing")(
      "fail-fast", po::bool_switch(&replay_.fail_fast), "end with the first I/O that fails")(
      "compressible", po::value<NumberArg>()->default_value(NumberArg{0}, "0"),
      "share of each block written that is zeros, 0..1")(
      "dedupe", po::value<NumberArg>()->default_value(NumberArg{0}, "0"),
      "share of the blocks written that are one of 64, 0..1")(
      "seed", po::value<CountArg>()->default_value(CountArg{1}, "1"), "of the data written")(
      "verify", po::bool_switch(&replay_.verify),
      "mark every block written, check it when it is read and after the run")(
      "interval", po::value<DurationArg>(), "between samples of --series and the live table (1s)")(
      "series", po::value(&series_path_), "write samples to this file: .csv, or JSON Lines")(
      "table", po::value<std::string>()->default_value("solaris"),
      "columns of the device table: solaris (iostat -xnz) or linux (iostat -x)")(
      "record", po::value(&record_path_), "write what was issued to this .rgt file");
  input_.add_options(options);
}

void ReplayCommandOptions::set(const po::variables_map& values) {
  if (values.count("trace") == 0) throw UsageError{"replay needs a trace"};
  traces_ = values["trace"].as<std::vector<std::string>>();
  input_.set(values);
  set_targets(values);
  set_timing(values);
  set_rate(values);
  set_copies(values);
  set_data(values);
  set_output(values);
  refuse_contradictions();
  const bool reads_again = copies_ > 1 && copy_mode_ == CopyMode::kShift;
  if ((trace_.loops != 1 || trace_.rate || reads_again) &&
      std::find(traces_.begin(), traces_.end(), "-") != traces_.end()) {
    throw UsageError{"a trace from standard input can be read only once"};
  }
}

std::uint16_t ReplayCommandOptions::target_index(const std::string& path) {
  const auto found = std::find(target_paths_.begin(), target_paths_.end(), path);
  if (found != target_paths_.end()) {
    return static_cast<std::uint16_t>(found - target_paths_.begin());
  }
  target_paths_.push_back(path);
  return static_cast<std::uint16_t>(target_paths_.size() - 1);
}

void ReplayCommandOptions::set_targets(const po::variables_map& values) {
  map_.fit = parse_fit_mode(values["fit"].as<std::string>());
  if (values.count("map") != 0) {
    for (const std::string& list : values["map"].as<std::vector<std::string>>()) {
      for (const std::string& part : comma_parts(list)) {
        const MapText map = parse_map(part);
        map_.rules.push_back({map.device, target_index(map.target), map.base_bytes});
      }
    }
  }
  if (values.count("target") != 0) {
    map_.rules.push_back({"*", target_index(values["target"].as<std::string>()), 0});
  }
  if (target_paths_.empty()) throw UsageError{"replay needs a --target or a --map"};
  if (target_paths_.size() > 1024) throw UsageError{"replay takes at most 1024 targets"};
  if (!destroy_.empty() && !trace_.writes) throw UsageError{"--destroy-data needs --write"};
  for (const std::string& path : destroy_) {
    if (std::find(target_paths_.begin(), target_paths_.end(), path) == target_paths_.end()) {
      throw UsageError{fmt::format("--destroy-data {}: not a target, letter by letter", path)};
    }
  }
}

void ReplayCommandOptions::set_timing(const po::variables_map& values) {
  exclude_each_other(values, {"speed", "flat-out", "iops", "iops-ramp"});
  exclude_each_other(values, {"timing", "flat-out"});
  exclude_each_other(values, {"loop", "duration", "iops-ramp"});
  trace_.speed = values["speed"].as<NumberArg>().value;
  if (!(trace_.speed >= kMinSpeed && trace_.speed <= kMaxSpeed)) {
    throw UsageError{"--speed: must be between 0.000001 and 1,000,000"};
  }
  const std::string timing = values["timing"].as<std::string>();
  if (timing != "original" && timing != "dependent") {
    throw UsageError{fmt::format("--timing {}: must be original or dependent", timing)};
  }
  if (timing == "dependent") replay_.timing = ReplayTiming::kDependent;
  if (flat_out_) replay_.timing = ReplayTiming::kFlatOut;
  trace_.timing = replay_.timing;
  replay_.spin = parse_spin_mode(values["spin"].as<std::string>());
  replay_.depth = flat_out_ ? kClosedLoopDepth : open_loop_depth(target_paths_.size());
  replay_.depth =
      static_cast<std::uint32_t>(count_of(values, "depth", 1, kMaxDepth, replay_.depth));
  replay_.threads = static_cast<unsigned>(count_of(values, "threads", 1, kMaxThreads, 0));
  trace_.loops = count_of(values, "loop", 1, std::numeric_limits<std::uint64_t>::max(), 1);
  if (values.count("duration") != 0) {
    const std::int64_t duration = positive_time(values, "duration");
    trace_.loops = 0;  // never equal to the number of passes: without end
    if (flat_out_) {
      replay_.stop_at_ns = duration;
    } else {
      trace_.duration_ns = duration;
    }
  }
  if (values.count("warm-up") != 0) {
    replay_.warm_up_ns = values["warm-up"].as<DurationArg>().ns;
  }
}

void ReplayCommandOptions::set_rate(const po::variables_map& values) {
  if (values.count("level-duration") != 0 && values.count("iops-ramp") == 0) {
    throw UsageError{"--level-duration belongs to --iops-ramp"};
  }
  if (values.count("iops") != 0) trace_.rate = RatePlan{{values["iops"].as<NumberArg>().value}, 0};
  if (values.count("iops-ramp") == 0) return;
  ramp_ = RatePlan::parse_ramp(values["iops-ramp"].as<std::string>());
  const std::int64_t level =
      values.count("level-duration") == 0 ? kLevelNs : positive_time(values, "level-duration");
  trace_.rate = RatePlan{ramp_, level};
  trace_.loops = 0;
  trace_.duration_ns = level * static_cast<std::int64_t>(ramp_.size());
}

void ReplayCommandOptions::set_copies(const po::variables_map& values) {
  copies_ = static_cast<unsigned>(count_of(values, "scale", 1, kMaxCopies, 1));
  const std::string mode = values["scale-mode"].as<std::string>();
  if (mode == "region") {
    copy_mode_ = CopyMode::kRegion;
  } else if (mode == "shift") {
    copy_mode_ = CopyMode::kShift;
  } else if (mode == "same") {
    copy_mode_ = CopyMode::kSame;
  } else {
    throw UsageError{fmt::format("--scale-mode {}: must be region, shift or same", mode)};
  }
  const bool shifted = copy_mode_ == CopyMode::kShift;
  if (shifted != (values.count("scale-shift") != 0)) {
    throw UsageError{"--scale-mode shift and --scale-shift need each other"};
  }
  if (shifted) {
    copy_shift_ns_ = positive_time(values, "scale-shift");
    if (copy_shift_ns_ > kLongestNs / copies_) {
      throw UsageError{"--scale-shift: the last copy would begin more than 365 days later"};
    }
  }
  if (shifted && (flat_out_ || trace_.rate)) {
    throw UsageError{"--scale-mode shift needs the recorded times"};
  }
  map_.regions = copy_mode_ == CopyMode::kRegion ? copies_ : 1;
  trace_.own_regions = map_.regions > 1;
  trace_.copies = shifted ? 1 : copies_;
}

void ReplayCommandOptions::set_data(const po::variables_map& values) {
  replay_.data.compressible = share_of(values, "compressible");
  replay_.data.dedupe = share_of(values, "dedupe");
  replay_.data.seed = values["seed"].as<CountArg>().value;
  for (const char* option : {"compressible", "dedupe", "seed"}) {
    if (!values[option].defaulted() && !trace_.writes) {
      throw UsageError{fmt::format("--{} needs --write", option)};
    }
  }
  if (!replay_.verify) return;
  if (!trace_.writes) throw UsageError{"--verify needs --write"};
  if (replay_.data.dedupe > 0) {
    throw UsageError{"--verify and --dedupe exclude each other: no two blocks written are alike"};
  }
}

void ReplayCommandOptions::set_output(const po::variables_map& values) {
  interval_given_ = values.count("interval") != 0;
  if (interval_given_) {
    replay_.sample_interval_ns = positive_time(values, "interval");
    if (replay_.sample_interval_ns < kMinIntervalNs) {
      throw UsageError{"--interval: must be at least 10ms"};
    }
  }
  if (series_path_ == "-") throw UsageError{"--series -: standard output has the result"};
  table_style_ = parse_iostat_style(values["table"].as<std::string>());
}

void ReplayCommandOptions::refuse_contradictions() const {
  if (replay_.warm_up_ns >= std::min(replay_.stop_at_ns, trace_.duration_ns)) {
    throw UsageError{"--warm-up: must be shorter than the replay, or nothing is measured"};
  }
  if (replay_.timing == ReplayTiming::kDependent) {
    if (trace_.rate) throw UsageError{"--timing dependent keeps think times, not a rate"};
    if (copies_ > 1 && copy_mode_ == CopyMode::kShift) {
      throw UsageError{"--timing dependent and --scale-mode shift exclude each other"};
    }
    if (replay_.threads > 1) {
      throw UsageError{
          "--timing dependent issues from one thread, which sees all that streams wait for"};
    }
  }
  if (dry_run_ && (!record_path_.empty() || !series_path_.empty())) {
    throw UsageError{"--dry-run issues nothing that --record or --series could write down"};
  }
}

std::unique_ptr<RecordSource> ReplayCommandOptions::make_source(
    std::span<const Target> targets) const {
  std::vector<TargetShape> shapes;
  for (const Target& target : targets) {
    shapes.push_back({target.path(), target.size_bytes(), target.block_bytes()});
  }
  const AddressMap map{shapes, map_};
  TraceReplayOptions trace_options = trace_;
  // Without end, but for the clock that a dry run does not have.
  if (dry_run_ && flat_out_) trace_options.loops = std::max<std::uint64_t>(trace_.loops, 1);
  const auto open = [input = input_, traces = traces_] {
    return input.open(traces, replay_columns());
  };
  if (copy_mode_ != CopyMode::kShift) {
    return std::make_unique<TraceRecordSource>(open, map, trace_options);
  }
  std::vector<std::unique_ptr<RecordSource>> copies;
  for (unsigned copy = 0; copy < copies_; ++copy) {
    TraceReplayOptions options = trace_;
    options.shift_ns = copy * copy_shift_ns_;
    copies.push_back(std::make_unique<TraceRecordSource>(open, map, options));
  }
  return std::make_unique<MergedRecordSource>(std::move(copies));
}

}  // namespace rigel
