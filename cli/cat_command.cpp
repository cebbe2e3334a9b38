#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_input.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class CatCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"cat", "[OPTIONS] TRACE...",
                           "Prints the records of a trace, one a line; of several, in time order."};
    options.add()("to", po::value<std::string>(&export_options_.format)->default_value("text"),
                  "text, csv or jsonl");
    input_.add_options(options);
    options.positional("traces", -1);
    const po::variables_map values = options.parse(arguments);
    input_.set(values);
    if (values.count("traces") != 0) paths_ = values["traces"].as<std::vector<std::string>>();
    if (paths_.empty()) throw UsageError{"cat takes one or more traces"};
    static_cast<void>(find_exporter("-", export_options_));
  }

  int run() override { return copy_trace(*input_.open(paths_), "-", export_options_); }

 private:
  TraceInput input_;
  std::vector<std::string> paths_;
  ExportOptions export_options_;
};

}  // namespace

std::unique_ptr<Command> make_cat_command() {
  return std::make_unique<CatCommand>();
}

}  // namespace rigel
