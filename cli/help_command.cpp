#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/overview.hpp"
#include "traces/error.hpp"
#include "traces/exporter.hpp"
#include "traces/importer.hpp"

namespace rigel {
namespace {

constexpr std::string_view kFormats = "formats";

std::string formats() {
  std::string text = "Formats that are read; recognised by content, or named by --format NAME:\n\n";
  for (const Importer& importer : importers()) {
    text += fmt::format("  {:<18}  {}\n", importer.name, importer.description);
  }
  text += "\nFormats that are written; by the suffix of the output, or named by --to NAME:\n\n";
  for (const Exporter& exporter : exporters()) {
    text += fmt::format("  {:<18}  {}; {}\n", exporter.name, exporter.description, exporter.suffix);
  }
  return text + "\nrigel-formats(7) says what each of them can hold.\n";
}

class HelpCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    if (arguments.size() > 1) throw UsageError{"help takes the name of one command, or formats"};
    if (!arguments.empty()) name_ = arguments.front();
    if (name_ == "--help" || name_ == "-h") name_.clear();
  }

  int run() override {
    if (name_.empty() || name_ == "help") {
      fmt::print("{}", overview());
      return kExitDone;
    }
    if (name_ == kFormats) {
      fmt::print("{}", formats());
      return kExitDone;
    }
    const CommandEntry* entry = find_command(name_);
    if (entry == nullptr) throw unknown_command(name_);
    entry->make()->setup({"--help"});
    return kExitDone;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> make_help_command() {
  return std::make_unique<HelpCommand>();
}

}  // namespace rigel
