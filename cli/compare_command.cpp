// rigel compare: whether two workloads are the same, and what differs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/compare_job.hpp"
#include "cli/compare_output.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_doubts.hpp"
#include "cli/trace_input.hpp"
#include "traces/byte_source.hpp"
#include "traces/decompress.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"
#include "traces/peekable_source.hpp"
#include "traces/text_file.hpp"

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
  [[nodiscard]] ComparedTrace profile(std::unique_ptr<ByteSource> file) const;
  // A result or else a trace.
  struct Input {
    std::string path;
    std::optional<MeasuredResult> result;
    std::optional<ComparedTrace> trace;
  };
  [[nodiscard]] Input read(const std::string& path) const;
  [[nodiscard]] PredictionCheck check(const Input& measured) const;
  // Prints what was found; the exit code.
  [[nodiscard]] int report(const CompareOutcome& outcome) const;
  // A line for everything that was asked for and is not so.
  [[nodiscard]] std::vector<std::string> unmet(const CompareOutcome& outcome) const;

  TraceInput input_;
  std::vector<std::string> paths_;
  ProfileOptions profile_options_;
  std::map<std::string, double> limits_;  // of distances, by key
  std::string predicted_;
  std::vector<PredictedHits> predictions_;
  PredictedFrom predicted_from_;
  std::string fio_path_;
  std::optional<std::uint64_t> hit_below_ns_;
  bool expect_same_ = false;
  bool json_ = false;
};

void CompareCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"compare", "[OPTIONS] A B | [OPTIONS] A --predicted MODEL.json", kText};
  options.add()("expect", po::value<std::string>(), "same: exit 3 when they differ")(
      "max-difference", po::value<std::vector<std::string>>(),
      "KEY=DISTANCE: exit 3 when that figure is farther apart; may be given again")(
      "predicted", po::value<std::string>(&predicted_),
      "what 'rigel model --json' printed: against the hits that B's read latencies imply (A's, "
      "without B)")("hit-below", po::value<DurationArg>(),
                    "with --predicted: what takes less is a hit (fitted)")(
      "fio", po::value<std::string>(&fio_path_),
      "write the fio job that comes closest to A to this file")(
      "page", po::value<SizeArg>(), "page in which reuse and footprint are counted (4k)")(
      "json", po::bool_switch(&json_), "one JSON object instead of text");
  input_.add_options(options);
  options.positional("inputs", -1);
  const po::variables_map values = options.parse(arguments);
  input_.set(values);
  if (values.count("inputs") != 0) paths_ = values["inputs"].as<std::vector<std::string>>();
  const bool alone = paths_.size() == 1 && !predicted_.empty();
  if (paths_.size() != 2 && !alone) {
    throw UsageError{"compare takes two inputs, A and B, or one with --predicted"};
  }
  if (values.count("hit-below") != 0) {
    if (predicted_.empty()) throw UsageError{"--hit-below is for --predicted"};
    hit_below_ns_ = static_cast<std::uint64_t>(values["hit-below"].as<DurationArg>().ns);
    if (*hit_below_ns_ == 0) throw UsageError{"--hit-below: more than 0 is wanted"};
  }
  if (values.count("expect") != 0) {
    const std::string expected = values["expect"].as<std::string>();
    if (expected != "same") {
      throw UsageError{fmt::format("--expect '{}': only 'same' can be expected", expected)};
    }
    expect_same_ = true;
  }
  if (!fio_path_.empty()) {
    refuse_to_overwrite(paths_, fio_path_);
    refuse_to_overwrite({predicted_}, fio_path_);
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

ComparedTrace CompareCommand::profile(std::unique_ptr<ByteSource> file) const {
  const std::string name = file->name();
  const std::unique_ptr<TraceSource> source = input_.open(std::move(file));
  ComparedTrace trace{name, profile_workload(*source, profile_options_), source->tables()};
  report_doubts(trace.tables);
  if (trace.profile.records == 0 && stop_exit_code() == 0) {
    if (trace.tables.damage.empty()) throw Error{name + ": no record in it meets the filters"};
    throw Error{fmt::format("{}: no record that could be compared is left of it: damage at {}",
                            name, describe(trace.tables.damage.front()))};
  }
  return trace;
}

std::vector<std::string> CompareCommand::unmet(const CompareOutcome& outcome) const {
  std::vector<std::string> lines;
  if (expect_same_ && !outcome.same) lines.emplace_back("--expect same: they are different");
  if (expect_same_) {
    for (const std::string& what : outcome.unanswered) lines.push_back("--expect same: " + what);
  }
  for (const auto& [key, limit] : limits_) {
    const auto found =
        std::find_if(outcome.distances.begin(), outcome.distances.end(),
                     [&, name = key](const auto& entry) { return entry.first == name; });
    if (found == outcome.distances.end()) {
      std::string known;
      for (const auto& entry : outcome.distances)
        known += (known.empty() ? "" : ", ") + entry.first;
      throw UsageError{
          fmt::format("--max-difference {}: is none of what was compared: {}", key, known)};
    }
    if (found->second <= limit) continue;
    lines.push_back(
        fmt::format("--max-difference {}={}: they are {:.4f} apart", key, limit, found->second));
  }
  return lines;
}

int CompareCommand::report(const CompareOutcome& outcome) const {
  const std::vector<std::string> failed = unmet(outcome);
  if (json_) {
    nlohmann::ordered_json json{{"schema", 1}};
    json.update(outcome.json);
    json["unanswered"] = outcome.unanswered;
    json["unmet"] = failed;
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", outcome.whole_text());
  }
  for (const std::string& text : failed) fmt::print(stderr, "rigel: not met: {}\n", text);
  return failed.empty() ? kExitDone : kExitAnswerIsNo;
}

CompareCommand::Input CompareCommand::read(const std::string& path) const {
  auto file = std::make_unique<PeekableSource>(decompress(open_file(path)));
  Input input{path, {}, {}};
  if (!input_.names_format()) input.result = read_result(*file);
  if (!input.result) input.trace = profile(std::move(file));
  return input;
}

PredictionCheck CompareCommand::check(const Input& measured) const {
  if (measured.trace) {
    if (measured.trace->profile.of(Figure::kReadLatency).count() == 0) {
      throw Error{measured.path + ": no latency of a read is known in it"};
    }
    return check_predictions(predictions_, measured.trace->profile, hit_below_ns_);
  }
  if (!hit_below_ns_) {
    throw UsageError{measured.path +
                     ": percentiles do not tell hits from misses: give --hit-below, or the trace "
                     "of the run ('rigel replay --record')"};
  }
  return check_predictions(predictions_, *measured.result, *hit_below_ns_);
}

// Of what was read by half nothing is said.
int stopped() {
  fmt::print(stderr, "rigel: stopped before all was read: no verdict\n");
  return stop_exit_code();
}

int CompareCommand::run() {
  // First, as the traces may take long.
  if (!predicted_.empty()) {
    const std::string model = read_text(*decompress(open_file(predicted_)));
    predictions_ = parse_predictions(model, predicted_);
    predicted_from_ = parse_predicted_from(model, predicted_);
  }
  const Input a = read(paths_[0]);
  if (stop_exit_code() != 0) return stopped();
  if (!fio_path_.empty()) {
    if (!a.trace) throw UsageError{"--fio: A is a result; a job is made after a trace"};
    write_job(*a.trace, fio_path_);
  }
  CompareOutcome outcome;
  if (paths_.size() == 1) {
    outcome = a.trace ? outcome_of(*a.trace) : outcome_of(*a.result);
    add_prediction(check(a), outcome);
    if (a.trace) add_missing(*a.trace, "a", outcome);
    add_missing(predicted_from_, predicted_, outcome);
    return report(outcome);
  }
  const Input b = read(paths_[1]);
  if (stop_exit_code() != 0) return stopped();
  if (a.trace && b.trace) {
    const WorkloadComparison comparison = compare_workloads(a.trace->profile, b.trace->profile);
    outcome = outcome_of(*a.trace, *b.trace, comparison);
    if (!comparison.same) add_job(*a.trace, *b.trace, comparison, outcome);
  } else {
    // A trace beside a result: by what its own times say.
    const auto measured = [](const Input& input) {
      return input.result ? *input.result : result_of_trace(input.trace->profile, input.path);
    };
    const MeasuredResult of_a = measured(a);
    const MeasuredResult of_b = measured(b);
    outcome = outcome_of(of_a, of_b, compare_results(of_a, of_b));
  }
  if (a.trace) add_missing(*a.trace, "a", outcome);
  if (b.trace) add_missing(*b.trace, "b", outcome);
  if (!predicted_.empty()) {
    add_prediction(check(b), outcome);
    add_missing(predicted_from_, predicted_, outcome);
  }
  return report(outcome);
}

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace rigel
