#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/result_chart.hpp"
#include "cli/stop_signal.hpp"
#include "cli/summary_report.hpp"
#include "cli/trace_input.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class InfoCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"info", "[OPTIONS] TRACE...",
                           "Says what a trace holds: how much, how fast, how large, where, how "
                           "sequential, how long\neach I/O took, and whether more was re-read than "
                           "chance explains."};
    options.add()("json", po::bool_switch(&json_), "one JSON object instead of text")(
        "page", po::value<SizeArg>(), "page in which footprint and re-reads are counted (4k)");
    chart_.add_options(options);
    input_.add_options(options);
    options.positional("traces", -1);
    const po::variables_map values = options.parse(arguments);
    input_.set(values);
    if (values.count("traces") != 0) paths_ = values["traces"].as<std::vector<std::string>>();
    chart_.set(values, paths_);
    if (paths_.empty()) throw UsageError{"info takes one or more traces"};
    if (values.count("page") != 0) summary_options_.page_bytes = values["page"].as<SizeArg>().bytes;
    if (summary_options_.page_bytes < 512) throw UsageError{"--page is below 512 bytes"};
  }

  int run() override {
    const std::unique_ptr<TraceSource> source = input_.open(paths_);
    const TraceSummary summary = summarize(*source, summary_options_);
    if (json_) {
      fmt::print("{}\n", summary_json(summary).dump(2, ' ', false,
                                                    nlohmann::json::error_handler_t::replace));
      report_doubts(summary.tables);
    } else {
      fmt::print("{}", summary_text(fmt::format("{}", fmt::join(paths_, " ")), summary));
      report_warnings(summary.tables);  // the text names the damage
    }
    if (chart_.wanted()) chart_.show(summary_json(summary));
    return stop_exit_code();
  }

 private:
  TraceInput input_;
  ResultChart chart_;
  std::vector<std::string> paths_;
  bool json_ = false;
  SummaryOptions summary_options_;
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace rigel
