// A subcommand of rigel. `setup` reads the arguments and touches nothing else, throwing UsageError;
// `run` does the work and returns the exit code: 0 done, 3 done and the answer is no.
// Errors are thrown, never printed here; see main.cpp for what becomes of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigel {

class Command {
 public:
  virtual ~Command() = default;
  virtual void setup(const std::vector<std::string>& arguments) = 0;
  virtual int run() = 0;
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;  // one line of `rigel help`
  std::unique_ptr<Command> (*make)();
};

// Every subcommand, in the order `rigel help` shows them.
[[nodiscard]] std::span<const CommandEntry> commands();
// nullptr when there is none of that name.
[[nodiscard]] const CommandEntry* find_command(std::string_view name);

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitAnswerIsNo = 3;

}  // namespace rigel
