// rigel report: results and recordings as one page with charts.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/report_inputs.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_copy.hpp"
#include "cli/trace_input.hpp"
#include "report/report_page.hpp"
#include "traces/byte_sink.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class ReportCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{
        "report", "FILE... -o PAGE.html [OPTIONS]",
        "Makes one page of recordings and results: a summary, and charts to look into. The page "
        "needs no\nnetwork and no other file. FILE is a recording of any format, the JSON of "
        "another command\n(--json), a load curve as CSV, or ORION's own output."};
    options.add()("output,o", po::value<std::string>(&output_), "the page; \"-\": standard output")(
        "title", po::value<std::string>(&title_), "what the page is called");
    input_.add_options(options);
    options.positional("files", -1);
    const po::variables_map values = options.parse(arguments);
    input_.set(values);
    if (values.count("files") == 0) throw UsageError{"report needs recordings or results"};
    files_ = values["files"].as<std::vector<std::string>>();
    if (output_.empty()) throw UsageError{"report needs -o PAGE.html"};
    if (std::find(files_.begin(), files_.end(), "-") != files_.end()) {
      throw UsageError{"report reads files by name, not standard input"};
    }
    refuse_to_overwrite(files_, output_);
    if (title_.empty()) title_ = "rigel report";
  }

  int run() override {
    const std::string page = report_page(title_, read_report_inputs(files_, input_));
    if (const int code = stop_exit_code(); code != 0) {
      fmt::print(stderr, "rigel: stopped before all was read: no page is written\n");
      return code;
    }
    const std::unique_ptr<ByteSink> file = create_file(output_);
    file->write(std::as_bytes(std::span{page}));
    file->close();
    return kExitDone;
  }

 private:
  TraceInput input_;
  std::vector<std::string> files_;
  std::string output_;
  std::string title_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace rigel
