// rigel model: the hit ratio of caches of given sizes, on a trace or on random I/O in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

#include "cli/command.hpp"
#include "cli/model_closed_form.hpp"
#include "cli/model_controller.hpp"
#include "cli/model_curve.hpp"
#include "cli/model_output.hpp"
#include "cli/options.hpp"
#include "cli/result_chart.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_doubts.hpp"
#include "cli/trace_input.hpp"
#include "cli/work_limits.hpp"
#include "model/cache/cache_analysis.hpp"
#include "model/cache/cache_simulator.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Predicts the hit ratio of a cache of each size on the recorded I/O: by page (every page\n"
    "a request touches is one access), by request (a hit when all its pages hit) and by byte.\n"
    "With --uniform or --zipf, on random I/O, without a trace.\n"
    "The trace lies behind the host's own caches (Oracle's buffer cache, the page cache): what\n"
    "is hot there is not in it. Several traces share the cache, merged by time; --share gives the\n"
    "part of a cache that others leave.";

std::uint32_t page_size(const po::variables_map& values) {
  const std::uint64_t bytes = values["page"].as<SizeArg>().bytes;
  if (bytes < kMinPageBytes || bytes > kMaxPageBytes || bytes % kMinPageBytes != 0) {
    throw UsageError{"--page must be a multiple of 512 bytes, up to 512 MiB"};
  }
  return static_cast<std::uint32_t>(bytes);
}

// The first element that an earlier one equals.
template <typename T>
std::optional<T> named_twice(const std::vector<T>& list) {
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (std::find(list.begin(), at, *at) != at) return *at;
  }
  return std::nullopt;
}

// `all` leaves the bound out where it cannot be had.
std::vector<std::string> policy_names(const std::string& list, bool controller) {
  std::vector<std::string> names;
  for (const std::string& name : comma_parts(list)) {
    if (name == "all") {
      for (const PolicyEntry& entry : policies()) {
        if (!controller || entry.make_controller != nullptr) names.emplace_back(entry.name);
      }
    } else {
      names.emplace_back(find_policy(name).name);
    }
  }
  if (const auto twice = named_twice(names)) {
    throw UsageError{fmt::format("--policy names {} twice", *twice)};
  }
  return names;
}

std::vector<std::uint64_t> cache_sizes(const po::variables_map& values) {
  std::vector<std::uint64_t> sizes = values["cache"].as<SizeListArg>().bytes;
  if (sizes.empty()) throw UsageError{"--cache names no size"};
  if (const auto twice = named_twice(sizes)) {
    throw UsageError{fmt::format("--cache names {} twice", format_bytes(*twice))};
  }
  return sizes;
}

double cache_share(const po::variables_map& values) {
  if (values.count("share") == 0) return 1;
  const double share = values["share"].as<double>();
  if (!(share > 0 && share <= 1)) throw UsageError{"--share must be above 0 and at most 1"};
  return share;
}

std::string policy_help() {
  std::string text = "Policies:\n";
  for (const PolicyEntry& entry : policies()) {
    text += fmt::format("  {:<10} {}\n", entry.name, entry.description);
  }
  return text;
}

// "none", a number of requests, or a time.
void set_warm_up(const std::string& text, PageStreamOptions& stream) {
  if (text == "none") return;
  const bool is_count = text.find_first_not_of("0123456789") == std::string::npos;
  try {
    if (is_count) stream.warm_up_requests = parse_count(text);
    if (!is_count) stream.warm_up_ns = parse_duration_ns(text);
  } catch (const UsageError& error) {
    throw UsageError{std::string{"--warm-up: "} + error.what()};
  }
}

GroupBy group_by(const std::string& text) {
  if (text == "device") return GroupBy::kDevice;
  if (text == "role") return GroupBy::kStream;
  throw UsageError{fmt::format("--by {}: there are device and role", text)};
}

// Not by fmt::print, which throws when nobody reads the pipe any more; main looks at the stream.
void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

void report_vain_warm_up(const CacheQuestion& question, const CacheAnswer& answer) {
  if (answer.requests == 0 || answer.warm_up_requests < answer.requests) return;
  const PageStreamOptions& stream = question.stream;
  const std::string wanted = stream.warm_up_ns != 0
                                 ? format_duration(stream.warm_up_ns)
                                 : format_count(stream.warm_up_requests) + " requests";
  const std::string all = format_count(answer.requests) + " requests";
  fmt::print(stderr,
             "rigel: warning: the warm-up of {} takes the whole trace ({}): nothing is "
             "counted\n",
             wanted,
             stream.warm_up_ns != 0 ? all + " in " + format_duration(answer.duration_ns) : all);
}

class ModelCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"model", "--cache SIZE[,SIZE...] [OPTIONS] TRACE...", kText};
    add_options(options);
    const po::variables_map values = options.parse(arguments);
    json_ = values.count("json") != 0;
    if (values.count("uniform") != 0 || values.count("zipf") != 0) {
      set_closed_form(values);
      return;
    }
    if (values.count("span") != 0 || values.count("iops") != 0) {
      throw UsageError{"--span and --iops go with --uniform or --zipf"};
    }
    if (values.count("trace") == 0) throw UsageError{"model needs a trace"};
    paths_ = values["trace"].as<std::vector<std::string>>();
    input_.set(values);
    chart_.set(values, paths_);
    set_question(values);
    if (values.count("curve") != 0) {
      curve_ = values["curve"].as<std::string>();
      check_curve_name(curve_);
      refuse_to_overwrite(paths_, curve_);
    }
  }

  int run() override {
    if (closed_form_) {
      print(json_ ? closed_form_json(*closed_form_) : closed_form_text(*closed_form_));
      return kExitDone;
    }
    const std::unique_ptr<TraceSource> source =
        input_.open(paths_, PageStream::columns(question_.stream));
    const CacheAnswer answer = analyze_cache(*source, question_);
    report_doubts(source->tables());
    if (answer.requests == 0 && stop_exit_code() == 0) {
      throw Error{fmt::format("{}: no read or write to be modelled is in it", paths_.front())};
    }
    report_vain_warm_up(question_, answer);
    // The whole curve is in it: not worth its time when only text is wanted.
    nlohmann::ordered_json json;
    if (json_ || !curve_.empty() || chart_.wanted()) {
      json = model_json(question_, answer, source->tables());
    }
    if (!curve_.empty()) write_curve(curve_, question_, answer, json);
    print(json_ ? json.dump(2) + "\n" : model_text(question_, answer, source->tables()));
    chart_.show(json);
    return stop_exit_code();
  }

 private:
  void add_options(CommandOptions& options) {
    options.add()("cache", po::value<SizeListArg>()->required(), "cache sizes, e.g. 96G,256G")(
        "page", po::value<SizeArg>()->default_value(SizeArg{8192}, "8k"), "the cache's page size")(
        "share", po::value<double>(), "the share of the cache that this I/O has, 0 to 1")(
        "policy", po::value<std::string>()->default_value("lru"), "policies, or all (see below)")(
        "curve", po::value<std::string>(), "write LRU's curve to this .csv or .svg")(
        "warm-up", po::value<std::string>()->default_value("none"),
        "requests (N) or time that fill the cache and are not counted")(
        "by", po::value<std::string>(), "LRU's hits by device or role too")(
        "window", po::value<DurationArg>(), "the working set of each such time too")(
        "threads", po::value<CountArg>()->default_value(CountArg{1}, "1"), "threads to use")(
        "memory", po::value<SizeArg>(), "the most memory to take (half of the machine's)")(
        "shards", po::value<NumberArg>(), "estimate from samples of this share of the pages")(
        "shards-pages", po::value<CountArg>(), "estimate from samples of at most N pages")(
        "samples", po::value<CountArg>(), "how many samples (8)")(
        "seed", po::value<CountArg>(), "another number draws other samples (0)")(
        "exact-below", po::value<SizeArg>(),
        "caches up to this are not sampled (256 sampled pages)")(
        "uniform", po::value<SizeArg>(), "no trace: uniform random I/O over this span")(
        "zipf", po::value<NumberArg>(), "no trace: Zipf's law with this exponent, over --span")(
        "span", po::value<SizeArg>(), "the span of --zipf")(
        "iops", po::value<NumberArg>(), "for --uniform and --zipf: say how long warming up takes")(
        "json", "print one JSON object");
    add_controller_options(options);
    chart_.add_options(options);
    input_.add_options(options);
    options.positional("trace", -1);
    options.epilog(policy_help() + "Options marked (*) can be given several times: any will do.");
  }

  void set_closed_form(const po::variables_map& values) {
    if (values.count("trace") != 0) throw UsageError{"--uniform and --zipf take no trace"};
    if (values.count("uniform") != 0 && (values.count("zipf") != 0 || values.count("span") != 0)) {
      throw UsageError{"--uniform SPAN stands alone; --zipf ALPHA takes --span SPAN"};
    }
    for (const auto& [name, value] : values) {
      static const std::vector<std::string> known{"cache", "page", "share", "uniform",
                                                  "zipf",  "span", "iops",  "json"};
      if (value.defaulted() || std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw UsageError{fmt::format("--{} takes a trace, not --uniform or --zipf", name)};
    }
    ClosedFormQuestion& question = closed_form_.emplace();
    question.cache_share = cache_share(values);
    question.cache_bytes = cache_sizes(values);
    question.page_bytes = page_size(values);
    if (values.count("zipf") != 0) {
      question.alpha = values["zipf"].as<NumberArg>().value;
      if (values.count("span") == 0) throw UsageError{"--zipf needs --span"};
    }
    const char* span = values.count("uniform") != 0 ? "uniform" : "span";
    question.span_bytes = values[span].as<SizeArg>().bytes;
    if (values.count("iops") != 0) {
      question.iops = values["iops"].as<NumberArg>().value;
      if (!(question.iops > 0)) throw UsageError{"--iops must be above 0"};
    }
  }

  void set_question(const po::variables_map& values) {
    question_.cache_bytes = cache_sizes(values);
    question_.cache_share = cache_share(values);
    question_.controller = controller_options(values, page_size(values));
    question_.policies =
        policy_names(values["policy"].as<std::string>(), question_.controller.has_value());
    question_.threads = static_cast<unsigned>(count_of(values, "threads", 1, 1024, 1));
    if (question_.controller) {
      question_.stream.with_times = question_.controller->destage_age_ns != 0;
    }
    question_.go_on =
        WorkLimits{values.count("memory") != 0 ? values["memory"].as<SizeArg>().bytes
                                               : usual_memory_limit_bytes(),
                   "take larger pages, or sample them with --shards or --shards-pages"};
    PageStreamOptions& stream = question_.stream;
    stream.page_bytes = page_size(values);
    stream.trace_name = paths_.front();
    set_warm_up(values["warm-up"].as<std::string>(), stream);
    if (values.count("by") != 0) stream.group_by = group_by(values["by"].as<std::string>());
    if (values.count("window") != 0) {
      stream.window_ns = values["window"].as<DurationArg>().ns;
      if (stream.window_ns == 0) throw UsageError{"--window must be above 0"};
    }
    set_sampling(values);
  }

  void set_sampling(const po::variables_map& values) {
    if (values.count("shards") == 0 && values.count("shards-pages") == 0) {
      for (const char* name : {"samples", "seed", "exact-below"}) {
        if (values.count(name) == 0) continue;
        throw UsageError{fmt::format("--{} goes with --shards or --shards-pages", name)};
      }
      return;
    }
    SamplingQuestion& sampling = question_.sampling.emplace();
    if (values.count("shards") != 0) sampling.rate = values["shards"].as<NumberArg>().value;
    if (values.count("shards-pages") != 0) {
      sampling.max_pages =
          count_of(values, "shards-pages", 16, std::numeric_limits<std::uint64_t>::max(), 16);
    }
    sampling.samples =
        static_cast<unsigned>(count_of(values, "samples", 1, 4096, sampling.samples));
    sampling.seed =
        count_of(values, "seed", 0, std::numeric_limits<std::uint64_t>::max(), sampling.seed);
    if (values.count("exact-below") != 0) {
      sampling.exact_below_pages =
          values["exact-below"].as<SizeArg>().bytes / question_.stream.page_bytes;
    }
  }

  std::vector<std::string> paths_;
  TraceInput input_;
  ResultChart chart_;
  bool json_ = false;
  std::string curve_;
  CacheQuestion question_;
  std::optional<ClosedFormQuestion> closed_form_;
};

}  // namespace

std::unique_ptr<Command> make_model_command() {
  return std::make_unique<ModelCommand>();
}

}  // namespace rigel
