#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/record_printer.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_input.hpp"
#include "traces/error.hpp"
#include "traces/exporter.hpp"

namespace rigel {
namespace {

constexpr const char* kTable = "text";

class CatCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"cat", "[OPTIONS] TRACE...",
                           "Prints the records of a trace, one a line; of several, in time order."};
    options.add()("to", po::value<std::string>(&export_options_.format)->default_value(kTable),
                  "text, csv, jsonl, or another format that can be written to a pipe");
    input_.add_options(options);
    options.positional("traces", -1);
    const po::variables_map values = options.parse(arguments);
    input_.set(values);
    if (values.count("traces") != 0) paths_ = values["traces"].as<std::vector<std::string>>();
    if (paths_.empty()) throw UsageError{"cat takes one or more traces"};
    if (export_options_.format != kTable) static_cast<void>(find_exporter("-", export_options_));
  }

  int run() override {
    return copy_trace(*input_.open(paths_), [this] {
      return export_options_.format == kTable ? print_records(create_file("-"))
                                              : create_trace("-", export_options_);
    });
  }

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
