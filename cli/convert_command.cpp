#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_input.hpp"
#include "traces/anonymizer.hpp"
#include "traces/error.hpp"
#include "traces/exporter.hpp"

namespace rigel {
namespace {

using Strings = std::vector<std::string>;

class ConvertCommand final : public Command {
 public:
  void setup(const Strings& arguments) override {
    CommandOptions options{"convert", "[OPTIONS] IN... OUT",
                           "Reads traces of any format, chooses, merges, anonymizes, and writes "
                           "them in the format\nthat OUT's suffix (or --to) names. '-' is standard "
                           "input or output."};
    options.add()("to", po::value<std::string>(), "OUT's format (default: by its suffix)");
    input_.add_options(options);
    options.add()("anonymize", po::bool_switch(&anonymize_),
                  "permute addresses, hash names, leave out the wall time")(
        "granularity", po::value<SizeArg>(), "page within which addresses stay together (1M)")(
        "key-file", po::value<std::string>(), "same key, same result (default: a random key)");
    options.positional("files", -1);
    const po::variables_map values = options.parse(arguments);
    input_.set(values);
    if (values.count("files") != 0) inputs_ = values["files"].as<Strings>();
    if (inputs_.size() < 2) throw UsageError{"convert takes one or more inputs and an output"};
    out_ = inputs_.back();
    inputs_.pop_back();
    if (values.count("to") != 0) export_options_.format = values["to"].as<std::string>();
    export_options_.record_page_bytes = input_.record_page_bytes();
    static_cast<void>(find_exporter(out_, export_options_));
    if (values.count("granularity") != 0) {
      anonymizer_.page_bytes = values["granularity"].as<SizeArg>().bytes;
    }
    if (values.count("key-file") != 0) key_file_ = values["key-file"].as<std::string>();
    if (!anonymize_ && (values.count("granularity") != 0 || !key_file_.empty())) {
      throw UsageError{"--granularity and --key-file are for --anonymize"};
    }
  }

  int run() override {
    refuse_to_overwrite(inputs_, out_);
    const std::unique_ptr<TraceSource> source = anonymize_ ? anonymized() : input_.open(inputs_);
    return copy_trace(*source, [this] { return create_trace(out_, export_options_); });
  }

 private:
  // Reads the inputs twice where it can: most formats do not tell how large their devices are.
  std::unique_ptr<TraceSource> anonymized() {
    anonymizer_.key =
        key_file_.empty() ? random_anonymizer_key() : anonymizer_key_from_file(key_file_);
    const bool regular = std::all_of(inputs_.begin(), inputs_.end(), [](const std::string& path) {
      std::error_code ignored;
      return std::filesystem::is_regular_file(path, ignored);
    });
    if (regular) {
      const std::unique_ptr<TraceSource> first_pass = input_.open(inputs_);
      anonymizer_.device_bytes = device_extents(*first_pass);
      report_warnings(first_pass->tables());  // they may name what is about to be hidden
    }
    return anonymize(input_.open(inputs_), anonymizer_);
  }

  TraceInput input_;
  Strings inputs_;
  std::string out_;
  ExportOptions export_options_;
  bool anonymize_ = false;
  std::string key_file_;
  AnonymizerOptions anonymizer_;
};

}  // namespace

std::unique_ptr<Command> make_convert_command() {
  return std::make_unique<ConvertCommand>();
}

}  // namespace rigel
