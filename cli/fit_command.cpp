// rigel fit: what array a measured load curve comes from, what disk a recording of one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "model/array/array_fit.hpp"
#include "model/array/disk_fit.hpp"
#include "model/array/load_growth.hpp"
#include "traces/error.hpp"
#include "traces/load_curve.hpp"
#include "traces/quantity.hpp"
#include "traces/trace_source.hpp"

namespace rigel {
namespace {

// One array cannot have given both sides of such a change. A twentieth is let pass as noise.
void warn_of_changes(const LoadCurve& curve) {
  constexpr double kNoise = 0.05;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const LoadPoint& before = curve.points[i - 1];
    const LoadPoint& after = curve.points[i];
    const bool comparable = before.iops > 0 && before.outstanding > 0 && after.iops > 0 &&
                            before.outstanding_large == 0 && after.outstanding_large == 0;
    if (!comparable || !growth_between(before, after).is_faster_than_load(kNoise)) continue;
    fmt::print(
        stderr,
        "rigel: warning: from {:g} to {:g} outstanding throughput grew faster than the load: "
        "something changed there, and no one array fits both sides; see --up-to\n",
        before.outstanding, after.outstanding);
  }
}

class FitCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void fit_curve();
  void fit_to_disk() const;
  [[nodiscard]] FittedValue hit_ratio(const ArrayFit& fit) const;
  void print_json(const ArrayFit& fit) const;
  void print_text(const ArrayFit& fit) const;

  std::vector<std::string> inputs_;
  bool disk_ = false;
  double confidence_ = 0.95;
  std::int64_t miss_time_ns_ = 0;  // 0: not given
  double most_outstanding_ = INFINITY;
  bool json_ = false;
};

void FitCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{
      "fit", "CURVE... | --disk TRACE [OPTIONS]",
      "Finds the closed network of disks, hits and a link whose throughput comes nearest to a\n"
      "measured load curve, with intervals, and says what the curve cannot tell. CURVE is "
      "whatever\n"
      "'rigel explain' takes.\n"
      "With --disk it fits a mechanical disk to the response times of a recording, judges it on "
      "the\n"
      "half of the recording that it was not fitted to, and prints it as a file for --array."};
  options.add()("miss-time", po::value<DurationArg>(),
                "a disk's service time, if known: gives the hit ratio")(
      "up-to", po::value<double>(&most_outstanding_), "only loads of at most so many outstanding")(
      "disk", "fit a disk to a recording of requests issued to it one at a time")(
      "confidence", po::value<double>(&confidence_), "of the intervals (default 0.95)")(
      "json", "one JSON object");
  options.positional("curve", -1);
  const po::variables_map values = options.parse(arguments);
  if (values.count("curve") == 0) throw UsageError{"fit needs CURVE, or --disk TRACE"};
  inputs_ = values["curve"].as<std::vector<std::string>>();
  if (!(confidence_ > 0 && confidence_ < 1)) {
    throw UsageError{"--confidence: between 0 and 1 is wanted"};
  }
  if (values.count("miss-time") != 0) {
    miss_time_ns_ = values["miss-time"].as<DurationArg>().ns;
    if (miss_time_ns_ == 0) throw UsageError{"--miss-time: more than 0 is wanted"};
  }
  json_ = values.count("json") != 0;
  disk_ = values.count("disk") != 0;
  if (!disk_) return;
  for (const char* option : {"miss-time", "up-to", "confidence"}) {
    if (values.count(option) != 0) {
      throw UsageError{fmt::format("--{} is for curves; --disk fits a recording", option)};
    }
  }
}

int FitCommand::run() {
  if (disk_) {
    fit_to_disk();
  } else {
    fit_curve();
  }
  return kExitDone;
}

void FitCommand::fit_to_disk() const {
  const auto source = open_trace(inputs_);
  DiskFit fit = fit_disk(disk_requests(*source));
  fit.array.name = "fitted-disk";
  fit.array.description = "fitted to " + inputs_.front();
  const std::string ini = to_ini(fit.array);
  if (json_) {
    const nlohmann::ordered_json object{{"schema", 1},
                                        {"fitted_requests", fit.fitted},
                                        {"judged_requests", fit.judged},
                                        {"mean_ns", fit.mean_ns},
                                        {"modelled_mean_ns", fit.modelled_mean_ns},
                                        {"demerit_ns", fit.demerit_ns},
                                        {"demerit", fit.demerit_ns / fit.mean_ns},
                                        {"halves_apart_ns", fit.halves_apart_ns},
                                        {"ini", ini}};
    fmt::print("{}\n", object.dump(2));
    return;
  }
  const auto time = [](double ns) { return format_duration(std::llround(ns)); };
  fmt::print(
      "; Fitted to the first {} requests, judged by the {} that follow: mean response {}, measured "
      "{};\n; demerit (RMS distance between the distributions) {}, {:.1f} % of the mean. The two "
      "measured\n; halves are {} apart.\n",
      fit.fitted, fit.judged, time(fit.modelled_mean_ns), time(fit.mean_ns), time(fit.demerit_ns),
      100 * fit.demerit_ns / fit.mean_ns, time(fit.halves_apart_ns));
  fmt::print("{}", ini);
}

void FitCommand::fit_curve() {
  LoadCurve curve = read_load_curve(inputs_);
  std::erase_if(curve.points,
                [this](const LoadPoint& point) { return point.outstanding > most_outstanding_; });
  warn_of_changes(curve);
  const ArrayFit fit = fit_array(curve, confidence_);
  if (json_) {
    print_json(fit);
  } else {
    print_text(fit);
  }
}

// The time at disks is (1 - hit ratio) x service time; a longer time means fewer hits.
FittedValue FitCommand::hit_ratio(const ArrayFit& fit) const {
  const auto of = [&](double disk_ns) {
    return std::max(0.0, 1 - disk_ns / static_cast<double>(miss_time_ns_));
  };
  FittedValue value{of(fit.disk_ns.value), std::nullopt, std::nullopt};
  if (fit.disk_ns.high) value.low = of(*fit.disk_ns.high);
  if (fit.disk_ns.low) value.high = of(*fit.disk_ns.low);
  return value;
}

void FitCommand::print_json(const ArrayFit& fit) const {
  const auto json = [](const FittedValue& value) {
    nlohmann::ordered_json object{{"value", value.value}, {"low", nullptr}, {"high", nullptr}};
    if (value.low) object["low"] = *value.low;
    if (value.high) object["high"] = *value.high;
    return object;
  };
  nlohmann::ordered_json object{{"schema", 1},
                                {"points", fit.points},
                                {"confidence", fit.confidence},
                                {"rms_error", fit.rms_error},
                                {"disks", json(fit.disks)},
                                {"disk_ns", json(fit.disk_ns)},
                                {"unqueued_ns", json(fit.unqueued_ns)},
                                {"link_iops", json(fit.link_iops)}};
  if (miss_time_ns_ > 0) object["hit_ratio"] = json(hit_ratio(fit));
  object["cannot_tell"] = fit.cannot_tell;
  fmt::print("{}\n", object.dump(2));
}

void FitCommand::print_text(const ArrayFit& fit) const {
  fmt::print("{} points, {:.1f} % off on average; intervals of {:g} %\n\n", fit.points,
             100 * fit.rms_error, 100 * fit.confidence);
  const auto line = [](const char* name, const FittedValue& value, auto text) {
    fmt::print("{:<28} {:>10}   {} … {}\n", name, text(value.value),
               value.low ? text(*value.low) : "no bound",
               value.high ? text(*value.high) : "no bound");
  };
  const auto time = [](double ns) { return format_duration(static_cast<std::int64_t>(ns)); };
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  line("disks that serve at once", fit.disks, number);
  line("time at disks per read", fit.disk_ns, time);
  line("time without a queue", fit.unqueued_ns, time);
  line("link, reads a second", fit.link_iops, number);
  if (miss_time_ns_ > 0) {
    line("hit ratio", hit_ratio(fit),
         [](double ratio) { return fmt::format("{:.1f}%", 100 * ratio); });
  }
  fmt::print("\nThe curve cannot tell:\n");
  for (const std::string& what : fit.cannot_tell) fmt::print("  {}\n", what);
}

}  // namespace

std::unique_ptr<Command> make_fit_command() {
  return std::make_unique<FitCommand>();
}

}  // namespace rigel
