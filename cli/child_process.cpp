#include "cli/child_process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "traces/error.hpp"

namespace rigel {
namespace {

std::array<int, 2> make_pipe(const std::string& name) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error(name, "cannot start", errno);
  return ends;
}

// As execvp() will look for it, so that the failure is known before anything else is done.
void require_program(const std::string& name) {
  const auto is_program = [](const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return;
    throw system_error(name, "cannot run", errno == 0 ? EACCES : errno);
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "/bin:/usr/bin" : path};
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (is_program((folder.empty() ? "." : folder) + "/" + name)) return;
  }
  throw Error{name + ": no such program in PATH"};
}

[[noreturn]] void run(const std::vector<std::string>& command, int go_fd, int failed_fd) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  char go = 0;
  if (read(go_fd, &go, 1) != 1) _exit(127);  // the recorder has given up
  std::signal(SIGPIPE, SIG_DFL);             // what it inherits otherwise is rigel's own choice
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  if (write(failed_fd, &error, sizeof(error)) != sizeof(error)) _exit(126);
  _exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, Output output)
    : name_{command.at(0)} {
  require_program(name_);
  const auto go = make_pipe(name_);
  const auto failed = make_pipe(name_);
  pid_ = fork();
  if (pid_ < 0) throw system_error(name_, "cannot start", errno);
  if (pid_ == 0) {
    close(go[1]);  // or it would wait for itself
    if (output == Output::kStandardError) dup2(STDERR_FILENO, STDOUT_FILENO);
    run(command, go[0], failed[1]);
  }
  close(go[0]);
  close(failed[1]);
  go_fd_ = go[1];
  failed_fd_ = failed[0];
}

ChildProcess::~ChildProcess() {
  close(go_fd_);
  close(failed_fd_);
  end();
}

void ChildProcess::release() {
  const char go = 1;
  int error = 0;
  if (write(go_fd_, &go, 1) != 1) error = errno;
  if (error == 0 && read(failed_fd_, &error, sizeof(error)) == 0) error = 0;
  if (error != 0) throw system_error(name_, "cannot run", error);
}

void ChildProcess::reap(int options) {
  int status = 0;
  pid_t result = 0;
  do {
    result = waitpid(pid_, &status, options);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return;
  pid_ = -1;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::has_ended() {
  if (pid_ > 0) reap(WNOHANG);
  return pid_ < 0;
}

int ChildProcess::end() {
  if (!has_ended()) {
    kill(pid_, SIGTERM);
    reap(0);
    return 0;
  }
  return code_;
}

}  // namespace rigel
