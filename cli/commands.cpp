#include "cli/command.hpp"

#include <algorithm>
#include <array>

namespace rigel {

// One a file: cli/<name>_command.cpp.
std::unique_ptr<Command> make_array_command();
std::unique_ptr<Command> make_capture_command();
std::unique_ptr<Command> make_cat_command();
std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_convert_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_fit_command();
std::unique_ptr<Command> make_help_command();
std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_lun_command();
std::unique_ptr<Command> make_model_command();
std::unique_ptr<Command> make_orion_command();
std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_repair_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_simulate_command();

namespace {
constexpr std::array kCommands{
    CommandEntry{"capture", "record the block I/O of this host", make_capture_command},
    CommandEntry{"convert", "rewrite traces: other formats, parts, merged, anonymized",
                 make_convert_command},
    CommandEntry{"info", "say what a trace holds", make_info_command},
    CommandEntry{"cat", "print a trace's records", make_cat_command},
    CommandEntry{"check", "say what in a trace is damaged", make_check_command},
    CommandEntry{"repair", "save what can be read of a damaged trace", make_repair_command},
    CommandEntry{"model", "predict the hit ratio of caches of given sizes", make_model_command},
    CommandEntry{"orion", "measure storage as Oracle's ORION does", make_orion_command},
    CommandEntry{"replay", "issue a recording's I/O again on another device", make_replay_command},
    CommandEntry{"simulate", "what an array would give under a workload", make_simulate_command},
    CommandEntry{"plan", "which array bears a recorded load, and how long", make_plan_command},
    CommandEntry{"explain", "why a measured load curve is as it is", make_explain_command},
    CommandEntry{"fit", "what array a measured load curve comes from", make_fit_command},
    CommandEntry{"report", "results and recordings as one page with charts", make_report_command},
    CommandEntry{"lun", "a device that is as fast as a simulated array", make_lun_command},
    CommandEntry{"array", "the arrays rigel knows by name", make_array_command},
    CommandEntry{"compare", "whether two workloads or results are the same", make_compare_command},
    CommandEntry{"help", "explain a command", make_help_command},
};
}  // namespace

std::span<const CommandEntry> commands() {
  return kCommands;
}

const CommandEntry* find_command(std::string_view name) {
  const auto* found = std::find_if(kCommands.begin(), kCommands.end(),
                                   [&](const CommandEntry& entry) { return entry.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

}  // namespace rigel
