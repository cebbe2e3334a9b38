// rigel model: the hit ratio that caches of given sizes have on a trace.
#include <fmt/format.h>

#include <cstdio>

#include "cli/command.hpp"
#include "cli/model_output.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "model/cache/cache_analysis.hpp"
#include "model/cache/cache_simulator.hpp"
#include "traces/error.hpp"
#include "traces/trace_source.hpp"

namespace rigel {
namespace {

std::uint32_t page_size(const po::variables_map& values, const char* option) {
  const std::uint64_t bytes = values[option].as<SizeArg>().bytes;
  if (bytes == 0 || bytes > kMaxPageBytes) {
    throw UsageError{fmt::format("--{} must be between 1 byte and 512 MiB", option)};
  }
  return static_cast<std::uint32_t>(bytes);
}

std::vector<std::string> policy_names(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    if (name == "all") {
      for (const PolicyEntry& entry : policies()) names.emplace_back(entry.name);
    } else {
      names.emplace_back(find_policy(name).name);
    }
    begin = end + 1;
  }
  return names;
}

std::string policy_help() {
  std::string text = "Policies:\n";
  for (const PolicyEntry& entry : policies()) {
    text += fmt::format("  {:<10} {}\n", entry.name, entry.description);
  }
  return text;
}

class ModelCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{
        "model", "--cache SIZE[,SIZE...] [OPTIONS] TRACE...",
        "Predicts the hit ratio of a cache of each size on the recorded I/O: by page (every page\n"
        "a request touches is one access), by request (a hit when all its pages hit) and by byte."};
    options.add()("cache", po::value<SizeListArg>()->required(), "cache sizes, e.g. 96G,256G")(
        "page", po::value<SizeArg>()->default_value(SizeArg{8192}, "8k"), "the cache's page size")(
        "policy", po::value<std::string>()->default_value("lru"), "policies, or all (see below)")(
        "threads", po::value<unsigned>()->default_value(1), "threads to use")(
        "record-page", po::value<SizeArg>()->default_value(SizeArg{4096}, "4k"),
        "formats of bare page numbers: page n is at n times this")(
        "format", po::value<std::string>()->default_value(""),
        "the trace's format (default: by content)")("json", "print one JSON object");
    options.positional("trace", -1);
    options.epilog(policy_help());
    const po::variables_map values = options.parse(arguments);

    if (values.count("trace") == 0) throw UsageError{"model needs a trace"};
    paths_ = values["trace"].as<std::vector<std::string>>();
    json_ = values.count("json") != 0;
    question_.cache_bytes = values["cache"].as<SizeListArg>().bytes;
    question_.policies = policy_names(values["policy"].as<std::string>());
    question_.threads = values["threads"].as<unsigned>();
    question_.stream.page_bytes = page_size(values, "page");
    question_.stream.trace_name = paths_.front();
    open_.record_page_bytes = page_size(values, "record-page");
    open_.format = values["format"].as<std::string>();
    open_.columns = PageStream::columns(question_.stream);
  }

  int run() override {
    question_.stop = &stop_flag();
    const std::unique_ptr<TraceSource> source = open_trace(paths_, open_);
    const CacheAnswer answer = analyze_cache(*source, question_);
    fmt::print("{}", json_ ? model_json(question_, answer) : model_text(question_, answer));
    return stop_exit_code();
  }

 private:
  std::vector<std::string> paths_;
  bool json_ = false;
  CacheQuestion question_;
  OpenOptions open_;
};

}  // namespace

std::unique_ptr<Command> make_model_command() {
  return std::make_unique<ModelCommand>();
}

}  // namespace rigel
