// rigel lun: a file or block device that answers as fast, or as slowly, as a simulated array.
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/child_process.hpp"
#include "cli/command.hpp"
#include "cli/latency_json.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "model/array/virtual_lun.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Is the array: FILE appears, and with --loop a block device over it, and each of its I/Os "
    "takes\n"
    "the time that 'rigel simulate' says it takes on that array. Ends with COMMAND, which finds "
    "the\n"
    "device in $RIGEL_LUN, or at SIGINT; says then, and at SIGUSR1, what the array did.";

constexpr std::uint64_t kBlock = 4096;
constexpr std::int64_t kLateAnswers = 200'000;

std::atomic<bool> report_wanted{false};

class LunCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  [[nodiscard]] std::unique_ptr<LunStore> make_store(std::uint64_t size_bytes) const;
  void look_around(const std::string& device);
  void announce() const;
  void print_text(std::FILE* to, const LunReport& report) const;
  [[nodiscard]] nlohmann::ordered_json to_json(const LunReport& report) const;
  [[nodiscard]] int exit_code();

  LunOptions lun_;
  std::string array_name_;
  std::uint64_t size_bytes_ = 0;
  double scale_ = 1;
  std::string data_ = "memory";
  std::optional<std::int64_t> duration_ns_;
  bool json_ = false;
  std::vector<std::string> command_;
  std::unique_ptr<VirtualLun> served_;
  std::unique_ptr<ChildProcess> child_;
  bool child_told_ = false;
  std::string device_;
  std::atomic<bool> over_{false};
};

void LunCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"lun", "FILE --array FILE.ini|NAME [OPTIONS] [-- COMMAND...]", kText};
  options.add()("array,a", po::value<std::string>(&array_name_),
                "the array: a file, or a name of 'rigel array list'")(
      "size", po::value<SizeArg>(), "of the LUN (default: all the array holds)")(
      "scale", po::value<double>(&scale_),
      "divide cache, disks and LUN by this, e.g. 1024: 96G and 3T become 96M and 3G")(
      "loop", "make a loop device over the file (root)")(
      "block-size", po::value<SizeArg>(), "of the loop device: 512 or 4k (default 512)")(
      "data", po::value<std::string>(&data_),
      "'memory', 'pattern' (every 8 bytes are their own offset; writes are forgotten), or a file "
      "that keeps it (default memory)")("warm", "begin with a full cache")(
      "seed", po::value<CountArg>(), "of the random service times (default 1)")(
      "duration", po::value<DurationArg>(), "end after this time, e.g. 30s")(
      "json", "report as one JSON object");
  options.positional("words", -1);
  const po::variables_map values = options.parse(arguments);
  if (values.count("words") == 0) throw UsageError{"lun needs FILE: where the LUN is to appear"};
  command_ = values["words"].as<std::vector<std::string>>();
  lun_.place.path = command_.front();
  command_.erase(command_.begin());
  if (array_name_.empty()) throw UsageError{"lun needs --array FILE.ini|NAME"};
  lun_.seed = count_of(values, "seed", 0, std::numeric_limits<std::uint64_t>::max(), lun_.seed);
  if (values.count("size") != 0) {
    size_bytes_ = values["size"].as<SizeArg>().bytes;
    if (size_bytes_ == 0) throw UsageError{"--size: from 4 KiB to 1 EiB is wanted"};
  }
  if (!(scale_ >= 1 && scale_ <= 1e9)) throw UsageError{"--scale: from 1 to 1e9 is wanted"};
  lun_.place.loop = values.count("loop") != 0;
  if (values.count("block-size") != 0) {
    const std::uint64_t block = values["block-size"].as<SizeArg>().bytes;
    if (block != 512 && block != kBlock) throw UsageError{"--block-size: 512 or 4k is wanted"};
    if (!lun_.place.loop) throw UsageError{"--block-size is the loop device's: give --loop"};
    lun_.place.block_bytes = static_cast<std::uint32_t>(block);
  }
  lun_.warm = values.count("warm") != 0;
  if (values.count("duration") != 0) duration_ns_ = values["duration"].as<DurationArg>().ns;
  json_ = values.count("json") != 0;
}

std::unique_ptr<LunStore> LunCommand::make_store(std::uint64_t size_bytes) const {
  if (data_ == "memory") return memory_store(size_bytes);
  if (data_ == "pattern") return pattern_store();
  return file_store(data_, size_bytes);
}

void LunCommand::announce() const {
  const std::string file =
      fmt::format("/sys/block/{}/queue/nr_requests", device_.substr(device_.rfind('/') + 1));
  std::string depth;
  if (lun_.place.loop) std::ifstream{file} >> depth;
  fmt::print(
      stderr, "rigel: {} is {} of {}, with {} of cache{}\n", device_, format_bytes(lun_.size_bytes),
      lun_.array.name, format_bytes(lun_.array.cache.bytes),
      depth.empty() ? "" : fmt::format("; the loop driver passes on {} I/Os at once", depth));
}

// Ten times a second while the LUN is served.
void LunCommand::look_around(const std::string& device) {
  if (!device.empty() && device_.empty()) {
    device_ = device;
    announce();
    if (!command_.empty() && !stop_flag()) {
      setenv("RIGEL_LUN", device.c_str(), 1);
      child_ = std::make_unique<ChildProcess>(command_);
      child_->release();
    }
  }
  if (report_wanted.exchange(false)) {
    const LunReport report = served_->report();
    if (json_) {
      fmt::print(stderr, "{}\n", to_json(report).dump());
    } else {
      print_text(stderr, report);
    }
  }
  const bool time_is_up =
      duration_ns_ && !device_.empty() && served_->report().load.duration_ns >= *duration_ns_;
  if (!stop_flag() && !time_is_up) {
    over_ = child_ && child_->has_ended();
    return;
  }
  // A command that waits for its I/O can only end while it is answered.
  over_ = !child_ || child_->has_ended();
  if (!over_ && !child_told_) kill(child_->pid(), SIGTERM);
  child_told_ = true;
}

int LunCommand::run() {
  static_cast<void>(stop_flag());
  std::signal(SIGUSR1, [](int) { report_wanted = true; });
  lun_.array = scaled_down(load_array_config(array_name_), scale_);
  const std::uint64_t size =
      size_bytes_ != 0 ? static_cast<std::uint64_t>(static_cast<double>(size_bytes_) / scale_)
                       : usable_bytes(lun_.array);
  lun_.size_bytes = size / kBlock * kBlock;
  if (lun_.size_bytes == 0 || lun_.size_bytes >= std::uint64_t{1} << 60) {
    throw UsageError{fmt::format("a LUN of {}: from 4 KiB to 1 EiB is wanted", format_bytes(size))};
  }
  served_ = std::make_unique<VirtualLun>(lun_, make_store(lun_.size_bytes));
  served_->serve(over_, [this](const std::string& device) { look_around(device); });
  const LunReport report = served_->report();
  if (json_) {
    fmt::print("{}\n", to_json(report).dump(2));
  } else {
    print_text(stdout, report);
  }
  if (report.lateness.quantile_ns(0.99) > kLateAnswers) {
    fmt::print(
        stderr,
        "rigel: warning: one answer in a hundred came {} or more after it was due: this host "
        "is too slow or too busy for this load\n",
        format_duration(report.lateness.quantile_ns(0.99)));
  }
  return exit_code();
}

int LunCommand::exit_code() {
  if (const int code = stop_exit_code(); code != 0) return code;
  const int command_code = child_ ? child_->end() : 0;
  if (command_code == 0 || child_told_) return kExitDone;
  fmt::print(stderr, "rigel: {} ended with {}\n", command_.front(), command_code);
  return kExitFailed;
}

void LunCommand::print_text(std::FILE* to, const LunReport& report) const {
  const LoadResult& load = report.load;
  const auto row = [to](const char* name, const std::string& text) {
    fmt::print(to, "{:<14}{}\n", name, text);
  };
  row("reads", fmt::format("{}, {:.2f} % of them hits", format_count(report.counters.reads),
                           100 * load.hit_ratio));
  row("writes", fmt::format("{}, {} of them waited for disks", format_count(report.counters.writes),
                            format_count(report.counters.writes - report.counters.write_hits)));
  row("throughput",
      fmt::format("{:.0f} IOPS, {:.2f} MiB/s in {}", load.iops,
                  load.bytes_per_second / (1024 * 1024), format_duration(load.duration_ns)));
  row("latency", fmt::format("mean {}, median {}, p99 {}",
                             format_duration(static_cast<std::int64_t>(load.latency.mean_ns())),
                             format_duration(load.latency.quantile_ns(0.5)),
                             format_duration(load.latency.quantile_ns(0.99))));
  row("outstanding",
      fmt::format("mean {:.1f}, at most {}", load.outstanding, report.most_outstanding));
  std::string parts;
  for (const PartUse& part : load.parts) {
    parts +=
        fmt::format("{}{} {:.1f} %", parts.empty() ? "" : ", ", part.part, 100 * part.utilisation);
  }
  row("busy", parts);
  row("answers late", fmt::format("median {}, p99 {}, at most {}",
                                  format_duration(report.lateness.quantile_ns(0.5)),
                                  format_duration(report.lateness.quantile_ns(0.99)),
                                  format_duration(report.lateness.max_ns())));
  row("taken off",
      fmt::format("{} on the way in, {} on the way out: the host's own",
                  format_duration(report.overhead_in_ns), format_duration(report.overhead_out_ns)));
  for (const auto& [error, count] : report.errors) {
    row("errors", fmt::format("{} x {}", format_count(count), std::strerror(error)));
  }
}

nlohmann::ordered_json LunCommand::to_json(const LunReport& report) const {
  const LoadResult& load = report.load;
  nlohmann::ordered_json object{{"schema", 1},
                                {"array", lun_.array.name},
                                {"device", device_},
                                {"size_bytes", lun_.size_bytes},
                                {"cache_bytes", lun_.array.cache.bytes},
                                {"duration_ns", load.duration_ns},
                                {"reads", report.counters.reads},
                                {"read_hits", report.counters.read_hits},
                                {"hit_ratio", load.hit_ratio},
                                {"writes", report.counters.writes},
                                {"write_hits", report.counters.write_hits},
                                {"iops", load.iops},
                                {"bytes_per_second", load.bytes_per_second},
                                {"latency_ns", latency_json(load.latency)},
                                {"outstanding", load.outstanding},
                                {"most_outstanding", report.most_outstanding}};
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const PartUse& part : load.parts) {
    parts.push_back({{"name", part.part}, {"utilisation", part.utilisation}});
  }
  object["parts"] = std::move(parts);
  object["lateness_ns"] = latency_json(report.lateness);
  object["overhead_in_ns"] = report.overhead_in_ns;
  object["overhead_out_ns"] = report.overhead_out_ns;
  object["errors"] = nlohmann::ordered_json::object();
  for (const auto& [error, count] : report.errors) {
    const char* name = strerrorname_np(error);
    object["errors"][name != nullptr ? name : std::to_string(error)] = count;
  }
  return object;
}

}  // namespace

std::unique_ptr<Command> make_lun_command() {
  return std::make_unique<LunCommand>();
}

}  // namespace rigel
