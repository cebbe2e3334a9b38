// rigel compare: whether two workloads are the same, and what differs.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/compare_output.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_doubts.hpp"
#include "cli/trace_input.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Says whether two traces are the same workload: mix, sizes, sequentiality, timing, depth, "
    "reuse,\n"
    "hot spots and latency, each with its distance, whether chance explains it, and what matters\n"
    "most in words. Of two results (JSON of rigel replay, orion or simulate, ORION's own output, a "
    "load\n"
    "curve) it says whether throughput and latencies differ by more than noise.";

class CompareCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void take_limits(const std::vector<std::string>& texts);
  [[nodiscard]] ComparedTrace profile(const std::string& path) const;
  // Prints what was found, of traces or of results; the exit code.
  template <typename Input, typename Comparison>
  [[nodiscard]] int report(const Input& a, const Input& b, const Comparison& comparison) const;
  // A line for everything that was asked for and is not so.
  template <typename Comparison>
  [[nodiscard]] std::vector<std::string> unmet(const Comparison& comparison) const;

  TraceInput input_;
  std::vector<std::string> paths_;
  ProfileOptions profile_options_;
  std::map<std::string, double> limits_;  // of distances, by key
  bool expect_same_ = false;
  bool json_ = false;
};

void CompareCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"compare", "[OPTIONS] A B", kText};
  options.add()("expect", po::value<std::string>(), "same: exit 3 when they differ")(
      "max-difference", po::value<std::vector<std::string>>(),
      "KEY=DISTANCE: exit 3 when that figure is farther apart; may be given again")(
      "page", po::value<SizeArg>(), "page in which reuse and footprint are counted (4k)")(
      "json", po::bool_switch(&json_), "one JSON object instead of text");
  input_.add_options(options);
  options.positional("inputs", -1);
  const po::variables_map values = options.parse(arguments);
  input_.set(values);
  if (values.count("inputs") != 0) paths_ = values["inputs"].as<std::vector<std::string>>();
  if (paths_.size() != 2) throw UsageError{"compare takes two inputs, A and B"};
  if (values.count("expect") != 0) {
    const std::string expected = values["expect"].as<std::string>();
    if (expected != "same") {
      throw UsageError{fmt::format("--expect '{}': only 'same' can be expected", expected)};
    }
    expect_same_ = true;
  }
  take_limits(different_texts(values, "max-difference"));
  if (values.count("page") != 0) {
    const std::uint64_t page = values["page"].as<SizeArg>().bytes;
    if (page < 512 || page > 1U << 29) throw UsageError{"--page: from 512 to 512M is wanted"};
    profile_options_.page_bytes = static_cast<std::uint32_t>(page);
  }
}

void CompareCommand::take_limits(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double limit = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = equals == std::string::npos
                            ? std::from_chars_result{text.data(), std::errc::invalid_argument}
                            : std::from_chars(text.data() + equals + 1, end, limit);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !(limit >= 0 && limit <= 1e18)) {
      throw UsageError{
          fmt::format("--max-difference '{}': KEY=DISTANCE is wanted, e.g. reuse=0.1", text)};
    }
    limits_[text.substr(0, equals)] = limit;
  }
}

ComparedTrace CompareCommand::profile(const std::string& path) const {
  const std::unique_ptr<TraceSource> source = input_.open({path});
  ComparedTrace trace{path, profile_workload(*source, profile_options_)};
  report_doubts(source->tables());
  if (trace.profile.records == 0) throw Error{path + ": no record in it meets the filters"};
  return trace;
}

template <typename Comparison>
std::vector<std::string> CompareCommand::unmet(const Comparison& comparison) const {
  std::vector<std::string> lines;
  if (expect_same_ && !comparison.same) {
    lines.emplace_back("--expect same: they are different");
  }
  for (const auto& [key, limit] : limits_) {
    std::optional<double> distance;
    std::string known;
    for (const auto& difference : comparison.differences) {
      if (difference.key == key) distance = difference.distance;
      known += (known.empty() ? "" : ", ") + difference.key;
    }
    if (!distance) {
      throw UsageError{
          fmt::format("--max-difference {}: is none of what was compared: {}", key, known)};
    }
    if (*distance > limit) {
      lines.push_back(
          fmt::format("--max-difference {}={}: they are {:.4f} apart", key, limit, *distance));
    }
  }
  return lines;
}

template <typename Input, typename Comparison>
int CompareCommand::report(const Input& a, const Input& b, const Comparison& comparison) const {
  const std::vector<std::string> failed = unmet(comparison);
  if (json_) {
    nlohmann::ordered_json json{{"schema", 1}};
    add_comparison_json(a, b, comparison, json);
    json["unmet"] = failed;
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", comparison_text(a, b, comparison));
  }
  for (const std::string& text : failed) fmt::print(stderr, "rigel: not met: {}\n", text);
  if (const int code = stop_exit_code(); code != 0) return code;
  return failed.empty() ? kExitDone : kExitAnswerIsNo;
}

int CompareCommand::run() {
  const std::optional<MeasuredResult> result_a = read_result(paths_[0]);
  const std::optional<MeasuredResult> result_b = read_result(paths_[1]);
  if (!result_a && !result_b) {
    const ComparedTrace a = profile(paths_[0]);
    const ComparedTrace b = profile(paths_[1]);
    return report(a, b, compare_workloads(a.profile, b.profile));
  }
  // A trace beside a result: by what its own times say.
  const auto measured = [&](const std::optional<MeasuredResult>& result, const std::string& path) {
    return result ? *result : result_of_trace(profile(path).profile, path);
  };
  const MeasuredResult a = measured(result_a, paths_[0]);
  const MeasuredResult b = measured(result_b, paths_[1]);
  return report(a, b, compare_results(a, b));
}

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace rigel
