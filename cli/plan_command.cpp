// rigel plan: which array, with how much cache and how many disks, bears a recorded load.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/plan_output.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_input.hpp"
#include "model/array/capacity_plan.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Simulates the recorded load, as it is and grown, on every configuration: each array with "
    "each\n"
    "cache size and each number of disks. Says which of them meet the targets, which is the\n"
    "cheapest, how much more load each bears and what it is short of then.\n"
    "Targets: QUANTITY[(read|write)]<LIMIT or >LIMIT with mean, max, p50, p99, p99.9 and the "
    "like,\n"
    "hit, busy; e.g. 'p99(read)<5ms', 'hit>80%'.";

constexpr std::size_t kMostCandidates = 10'000;

class PlanCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void set_arrays(const po::variables_map& values);
  void add_candidates();
  void add_candidate(const ArrayConfig& array, std::uint64_t cache, unsigned disks);
  void report_doubts_once() const;

  std::vector<std::string> traces_;
  TraceInput input_;
  std::vector<std::string> arrays_;
  std::string arrays_folder_;
  std::vector<std::uint64_t> caches_;
  std::vector<std::uint64_t> disks_;
  std::optional<double> growth_a_year_;
  bool json_ = false;
  PlanQuestion question_;
  std::vector<LeftOut> left_out_;
};

// "1x,2x,4.5x": rising, so that the table can be read from left to right.
std::vector<double> parse_growths(const std::string& text) {
  std::vector<double> growths;
  for (const std::string& part : comma_parts(text)) {
    const char* const end = part.data() + part.size();
    double value = 0;
    const auto [rest, status] = std::from_chars(part.data(), end, value);
    const bool good = status == std::errc{} && (rest == end || std::string_view{rest} == "x") &&
                      value >= 0.001 && value <= 1000;
    if (!good) throw UsageError{fmt::format("--grow {}: write it like 1x,2x,4x", text)};
    growths.push_back(value);
  }
  std::sort(growths.begin(), growths.end());
  if (std::adjacent_find(growths.begin(), growths.end()) != growths.end()) {
    throw UsageError{fmt::format("--grow {}: one growth is there twice", text)};
  }
  return growths;
}

// "40%" or "0.4".
double parse_share(const std::string& text) {
  const bool percent = text.back() == '%';
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  // More than a doubling without its sign is a percentage that lacks it.
  if (status != std::errc{} || rest != end || !(value > 0 && value <= (percent ? 100 : 1))) {
    throw UsageError{fmt::format("--growth-a-year {}: write it like 40%", text)};
  }
  return value;
}

void PlanCommand::set_arrays(const po::variables_map& values) {
  arrays_ = different_texts(values, "array");
  if (arrays_.empty() == arrays_folder_.empty()) {
    throw UsageError{"plan needs --array FILE.ini|NAME, which can be repeated, or --arrays DIR"};
  }
  if (values.count("cache") != 0) caches_ = values["cache"].as<SizeListArg>().bytes;
  if (values.count("disks") == 0) return;
  for (const std::string& part : comma_parts(values["disks"].as<std::string>())) {
    const char* const end = part.data() + part.size();
    std::uint64_t value = 0;
    const auto [rest, status] = std::from_chars(part.data(), end, value);
    if (status != std::errc{} || rest != end || value < 1 || value > 4096) {
      throw UsageError{fmt::format("--disks {}: whole numbers from 1 to 4096, e.g. 16,32,64",
                                   values["disks"].as<std::string>())};
    }
    if (std::find(disks_.begin(), disks_.end(), value) != disks_.end()) {
      throw UsageError{
          fmt::format("--disks {}: {} is there twice", values["disks"].as<std::string>(), value)};
    }
    disks_.push_back(value);
  }
}

void PlanCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"plan", "TRACE... --array FILE.ini|NAME --target TARGET [OPTIONS]", kText};
  options.add()("array,a", po::value<std::vector<std::string>>(),
                "an array: a file, or a name of 'rigel array list' (repeatable)")(
      "arrays", po::value<std::string>(&arrays_folder_), "every array file (*.ini) of this folder")(
      "cache", po::value<SizeListArg>(), "cache sizes to try (default: the array's own)")(
      "disks", po::value<std::string>(), "numbers of disks to try (default: the array's own)")(
      "target,t", po::value<std::vector<std::string>>(), "what has to be met (repeatable)")(
      "grow", po::value<std::string>(), "growths to try, e.g. 1x,2x,4x (default 1x)")(
      "grow-data",
      "data grow with the rate: copies of the load, each on data of its own (default: the same "
      "data more often)")("growth-a-year", po::value<std::string>(),
                          "e.g. 40%: the headroom in months too")(
      "warm-up", po::value<DurationArg>(),
      "the beginning of the trace, which fills the cache and is not measured")(
      "seed", po::value<CountArg>(), "of the random service times (default 1)")(
      "threads", po::value<CountArg>(), "threads to use (default: all CPUs)")("json",
                                                                              "one JSON object");
  input_.add_options(options);
  options.positional("trace", -1);
  const po::variables_map values = options.parse(arguments);
  if (values.count("trace") == 0) throw UsageError{"plan needs a trace"};
  traces_ = values["trace"].as<std::vector<std::string>>();
  for (const std::string& trace : traces_) {
    std::error_code ignored;
    if (trace == "-" || std::filesystem::is_fifo(trace, ignored)) {
      throw UsageError{trace + ": plan reads the trace many times, and this can be read only once"};
    }
  }
  input_.set(values);
  set_arrays(values);
  for (const std::string& text : different_texts(values, "target")) {
    question_.targets.push_back(parse_plan_target(text));
  }
  if (question_.targets.empty()) throw UsageError{"plan needs --target, e.g. 'p99(read)<5ms'"};
  if (values.count("grow") != 0)
    question_.growths = parse_growths(values["grow"].as<std::string>());
  if (values.count("grow-data") != 0) question_.growth = Growth::kData;
  if (values.count("growth-a-year") != 0) {
    growth_a_year_ = parse_share(values["growth-a-year"].as<std::string>());
  }
  if (values.count("warm-up") != 0) question_.warm_up_ns = values["warm-up"].as<DurationArg>().ns;
  question_.seed = count_of(values, "seed", 0, UINT64_MAX, 1);
  question_.threads = static_cast<unsigned>(
      count_of(values, "threads", 1, 1024, std::max(1U, std::thread::hardware_concurrency())));
  json_ = values.count("json") != 0;
}

// RAID 10 has no 7 disks: what cannot be is left out, and the plan says so.
void PlanCommand::add_candidate(const ArrayConfig& array, std::uint64_t cache, unsigned disks) {
  ArrayConfig candidate = array;
  candidate.cache.bytes = cache;
  candidate.disks.count = disks;
  try {
    validate(candidate);
    question_.candidates.push_back(std::move(candidate));
  } catch (const UsageError& error) {
    left_out_.push_back({array.name, cache, disks, error.what()});
  }
}

void PlanCommand::add_candidates() {
  if (!arrays_folder_.empty()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator{arrays_folder_, error}) {
      if (entry.path().extension() == ".ini") arrays_.push_back(entry.path().string());
    }
    if (error) throw Error{arrays_folder_ + ": " + error.message()};
    if (arrays_.empty()) throw Error{arrays_folder_ + ": holds no array (*.ini)"};
    std::sort(arrays_.begin(), arrays_.end());
  }
  for (const std::string& name : arrays_) {
    const ArrayConfig array = load_array_config(name);
    const std::vector<std::uint64_t> own_cache{array.cache.bytes};
    const std::vector<std::uint64_t> own_disks{array.disks.count};
    for (const std::uint64_t cache : caches_.empty() ? own_cache : caches_) {
      for (const std::uint64_t disks : disks_.empty() ? own_disks : disks_) {
        add_candidate(array, cache, static_cast<unsigned>(disks));
      }
    }
  }
  if (question_.candidates.empty()) {
    const LeftOut& first = left_out_.front();
    throw UsageError{fmt::format("{} with {} disks: {}", first.array, first.disks, first.why)};
  }
  if (question_.candidates.size() > kMostCandidates) {
    throw UsageError{fmt::format("{} configurations are more than {}", question_.candidates.size(),
                                 kMostCandidates)};
  }
}

// What is wrong with the trace is the same each time that it is read.
void PlanCommand::report_doubts_once() const {
  const std::unique_ptr<TraceSource> source = input_.open(traces_);
  RecordBatch batch;
  while (source->next(batch)) continue;
  report_doubts(source->tables());
}

int PlanCommand::run() {
  add_candidates();
  question_.open = [this] { return input_.open(traces_); };
  question_.go_on = [] { return !stop_flag(); };
  report_doubts_once();
  const PlanAnswer answer = make_plan(question_);
  if (const int code = stop_exit_code(); code != 0) return code;
  const PlanReport report{question_, answer, left_out_, traces_, growth_a_year_};
  const std::string text = json_ ? plan_json(report) : plan_text(report);
  std::fputs(text.c_str(), stdout);
  return answer.choice ? kExitDone : kExitAnswerIsNo;
}

}  // namespace

std::unique_ptr<Command> make_plan_command() {
  return std::make_unique<PlanCommand>();
}

}  // namespace rigel
