// rigel COMMAND ...: finds the command, runs it, turns errors into one line and an exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/overview.hpp"
#include "traces/error.hpp"
#include "traces/printable.hpp"
#include "traces/version.hpp"

namespace {

using namespace rigel;

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", overview());
    return kExitUsage;
  }
  std::string name = arguments.front();
  if (name == "--version" || name == "-V") {
    fmt::print("rigel {}\n", kVersion);
    return kExitDone;
  }
  if (name == "--help" || name == "-h") name = "help";
  const CommandEntry* entry = find_command(name);
  if (entry == nullptr) throw unknown_command(name);
  const std::unique_ptr<Command> command = entry->make();
  command->setup({arguments.begin() + 1, arguments.end()});
  return command->run();
}

// Output that did not arrive is a failure, but a reader that closed its pipe has what it wanted.
int flush_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE) return code;
  std::perror("rigel: standard output");
  return code == kExitDone ? kExitFailed : code;
}

// A link of the name "orion" is `rigel orion`, so that scripts written for ORION need no change.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments{argv + std::min(1, argc), argv + argc};
  const std::string called = argc > 0 ? argv[0] : "";
  if (called.substr(called.rfind('/') + 1) == "orion") arguments.insert(arguments.begin(), "orion");
  return arguments;
}

// A file opened later must not become standard output or error: what is printed would land in it.
// Standard output that is closed stays one that cannot be written to, and so is told.
void hold_standard_descriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = wanted == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (fcntl(wanted, F_GETFD) == -1 && open("/dev/null", mode) != wanted) return;
  }
}

// Not by fmt::print, which throws when standard error is a pipe that nobody reads any more.
void complain(const char* what) {
  std::fputs(("rigel: " + printable(what) + "\n").c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  hold_standard_descriptors();
  try {
    return flush_output(run(arguments_of(argc, argv)));
  } catch (const HelpRequested& help) {
    fmt::print("{}", help.text);
    return flush_output(kExitDone);
  } catch (const ReaderGone&) {
    return kExitDone;
  } catch (const UsageError& error) {
    complain(error.what());
    return kExitUsage;
  } catch (const std::system_error& error) {  // fmt::print's: a full disk
    complain(("standard output: " + error.code().message()).c_str());
    return kExitFailed;
  } catch (const std::exception& error) {
    complain(error.what());
    return kExitFailed;
  }
}
