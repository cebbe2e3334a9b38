#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/overview.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class HelpCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    if (arguments.size() > 1) throw UsageError{"help takes one command's name"};
    if (!arguments.empty()) name_ = arguments.front();
    if (name_ == "--help" || name_ == "-h") name_.clear();
  }

  int run() override {
    if (name_.empty() || name_ == "help") {
      fmt::print("{}", overview());
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
