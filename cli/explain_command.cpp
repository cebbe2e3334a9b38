// rigel explain: why a measured load curve is as it is.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/result_chart.hpp"
#include "cli/trace_doubts.hpp"
#include "cli/trace_input.hpp"
#include "model/array/analytic.hpp"
#include "model/array/array_config.hpp"
#include "model/array/explain.hpp"
#include "traces/error.hpp"
#include "traces/load_curve.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kMostDisks = 4096;  // as an array file's

constexpr char kText[] =
    "Says of every point of a measured load curve what the disks and the cache can have given, "
    "and\n"
    "tests hypotheses about what did: re-reading, a small span, thin blocks, a warm cache, the "
    "host,\n"
    "the link, a change at some depth, smarter disks. RESULTS is ORION's output (verbose lines,\n"
    "summary, its tables as several files), the JSON of rigel replay, orion or simulate, or a CSV.";

class ExplainCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void take_array();
  [[nodiscard]] std::optional<SequenceEvidence> examine() const;
  [[nodiscard]] static nlohmann::ordered_json to_json(const Explanation& explanation);
  void print_text(const Explanation& explanation) const;

  std::vector<std::string> results_;
  std::string array_name_;
  std::string trace_;
  TraceInput input_;
  ResultChart chart_;
  ArrayClaim claim_;
  bool disks_given_ = false;
  bool cache_given_ = false;
  bool hit_given_ = false;
  bool miss_given_ = false;
  bool json_ = false;
};

void ExplainCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{
      "explain", "RESULTS... (--array FILE.ini|NAME | --disks N --cache SIZE) --span SIZE", kText};
  options.add()("array,a", po::value<std::string>(&array_name_),
                "the array: a file, or a name of 'rigel array list'")(
      "disks", po::value<CountArg>(), "number of disks")("cache", po::value<SizeArg>(),
                                                         "size of the array's cache")(
      "span", po::value<SizeArg>(), "bytes the reads were spread over")(
      "hit-time", po::value<DurationArg>(), "of a read from the cache (default 300us)")(
      "miss-time", po::value<DurationArg>(),
      "of a read from a disk that waits for no other (default 8ms)")("page", po::value<SizeArg>(),
                                                                     "of the cache (default 8k)")(
      "size", po::value<SizeArg>(), "of a read, where RESULTS do not say (default 8k)")(
      "duration", po::value<DurationArg>(), "of a point, where RESULTS do not say (default 60s)")(
      "trace", po::value<std::string>(&trace_), "a recording of the run, which decides")(
      "json", "one JSON object");
  chart_.add_options(options);
  input_.add_options(options);
  options.positional("results", -1);
  const po::variables_map values = options.parse(arguments);
  input_.set(values);
  if (values.count("results") == 0) throw UsageError{"explain needs RESULTS"};
  results_ = values["results"].as<std::vector<std::string>>();
  std::vector<std::string> inputs = results_;
  inputs.insert(inputs.end(), {array_name_, trace_});
  chart_.set(values, inputs);
  if (values.count("span") == 0) throw UsageError{"explain needs --span SIZE"};
  const auto bytes = [&](const char* name) {
    return static_cast<double>(values[name].as<SizeArg>().bytes);
  };
  const auto time = [&](const char* name) {
    return static_cast<double>(values[name].as<DurationArg>().ns);
  };
  claim_.span_bytes = bytes("span");
  if (claim_.span_bytes == 0) throw UsageError{"--span: more than 0 is wanted"};
  disks_given_ = values.count("disks") != 0;
  cache_given_ = values.count("cache") != 0;
  hit_given_ = values.count("hit-time") != 0;
  miss_given_ = values.count("miss-time") != 0;
  if (disks_given_) {
    claim_.disks = static_cast<unsigned>(count_of(values, "disks", 1, kMostDisks, 1));
  }
  if (cache_given_) claim_.cache_bytes = bytes("cache");
  if (hit_given_) claim_.hit_time_ns = time("hit-time");
  if (miss_given_) claim_.miss_time_ns = time("miss-time");
  if (values.count("page") != 0) claim_.page_bytes = bytes("page");
  if (values.count("size") != 0) claim_.io_bytes = bytes("size");
  if (values.count("duration") != 0) claim_.point_duration_ns = time("duration");
  if (claim_.page_bytes < 512 || claim_.page_bytes > 1U << 26) {
    throw UsageError{"--page: from 512 to 64M is wanted"};
  }
  json_ = values.count("json") != 0;
  if (array_name_.empty() && !(disks_given_ && cache_given_)) {
    throw UsageError{"explain needs --array FILE.ini|NAME, or --disks N and --cache SIZE"};
  }
}

// What the options do not say, the array does.
void ExplainCommand::take_array() {
  if (array_name_.empty()) return;
  const ArrayConfig array = load_array_config(array_name_);
  const double before_ns = static_cast<double>(array.link.latency_ns + array.controller.time_ns);
  if (!disks_given_) claim_.disks = static_cast<double>(array.disks.count) * array.disks.units;
  if (!cache_given_) claim_.cache_bytes = static_cast<double>(array.cache.bytes);
  if (!hit_given_) {
    claim_.hit_time_ns = std::max(1.0, before_ns + static_cast<double>(array.cache.hit_time_ns));
  }
  if (!miss_given_) {
    claim_.miss_time_ns = before_ns + mean_disk_time_ns(array.disks, claim_.io_bytes);
  }
  claim_.link_bytes_per_second = array.link.bytes_per_second;
}

std::optional<SequenceEvidence> ExplainCommand::examine() const {
  if (trace_.empty()) return std::nullopt;
  const auto source = input_.open({trace_});
  SequenceEvidence evidence =
      examine_sequence(*source, {.span_bytes = static_cast<std::uint64_t>(claim_.span_bytes),
                                 .cache_bytes = static_cast<std::uint64_t>(claim_.cache_bytes),
                                 .page_bytes = static_cast<std::uint32_t>(claim_.page_bytes)});
  report_doubts(source->tables());
  return evidence;
}

int ExplainCommand::run() {
  take_array();
  const LoadCurve curve = read_load_curve(results_);
  const Explanation explanation = explain(curve, claim_, examine());
  if (json_) {
    fmt::print("{}\n", to_json(explanation).dump(2));
  } else {
    print_text(explanation);
  }
  if (chart_.wanted()) chart_.show(to_json(explanation));
  return kExitDone;
}

nlohmann::ordered_json ExplainCommand::to_json(const Explanation& explanation) {
  nlohmann::ordered_json object{{"schema", 1}, {"points", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < explanation.points.size(); ++i) {
    const PointEvidence& e = explanation.points[i];
    object["points"].push_back({{"outstanding", e.point.outstanding},
                                {"iops", e.point.iops},
                                {"latency_ns", e.point.latency_ns},
                                {"hit_ratio_implied", e.implied},
                                {"hit_ratio_expected", e.expected},
                                {"verdict", explanation.verdicts[i]},
                                {"hit_ratio_implied_low", e.implied_low},
                                {"hit_ratio_implied_high", e.implied_high},
                                {"hit_ratio_least_by_throughput", e.least_hit_by_throughput},
                                {"hit_ratio_least_by_latency", e.least_hit_by_latency},
                                {"part_of_disks", e.part_of_disks},
                                {"faster_than_hits", e.faster_than_hits},
                                {"hit_ratio_expected_most", e.expected_most},
                                {"disk_limit_iops", e.disk_limit_iops},
                                {"littles_law_error", e.littles_error},
                                {"littles_law_holds", e.littles_law_holds},
                                {"growth", e.growth.throughput},
                                {"load_growth", e.growth.load},
                                {"grew_faster_than_load", e.growth.is_faster_than_load(0)}});
  }
  object["hypotheses"] = nlohmann::ordered_json::array();
  for (const Hypothesis& h : explanation.hypotheses) {
    object["hypotheses"].push_back({{"name", h.name},
                                    {"verdict", verdict_name(h.verdict)},
                                    {"likelihood", h.likelihood},
                                    {"why", h.why},
                                    {"settled_by", h.settled_by}});
  }
  object["conclusion"] = explanation.conclusion;
  return object;
}

void ExplainCommand::print_text(const Explanation& explanation) const {
  fmt::print("{:>11} {:>8} {:>9} {:>7} {:>8} {:>8} {:>8}  verdict\n", "outstanding", "IOPS",
             "latency", "N=XR", "implied", "expected", "at most");
  const auto percent = [](double ratio) { return fmt::format("{:.1f}%", 100 * ratio); };
  for (std::size_t i = 0; i < explanation.points.size(); ++i) {
    const PointEvidence& e = explanation.points[i];
    fmt::print("{:>11g} {:>8.0f} {:>9} {:>+6.1f}% {:>8} {:>8} {:>8}  {}\n", e.point.outstanding,
               e.point.iops, format_duration(static_cast<std::int64_t>(e.point.latency_ns)),
               100 * e.littles_error, percent(e.implied), percent(e.expected),
               percent(e.expected_most), explanation.verdicts[i]);
  }
  fmt::print("\nLikelihoods are relative to each other, all of these being alike before:\n");
  for (const Hypothesis& h : explanation.hypotheses) {
    fmt::print("{:<10} {:>4.0f}%  {}\n                  {}\n                  settled by: {}\n",
               verdict_name(h.verdict), 100 * h.likelihood, h.name, h.why, h.settled_by);
  }
  fmt::print("\n{}\n", explanation.conclusion);
}

}  // namespace

std::unique_ptr<Command> make_explain_command() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace rigel
