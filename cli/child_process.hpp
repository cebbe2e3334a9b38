// A command that rigel starts for the user: held back until release(), so that nothing it does is
// missed, and ended with SIGTERM when it is still running at the end.
// The constructor throws Error when there is no such program, release() when it cannot be started.
// One thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rigel {

class ChildProcess {
 public:
  // What becomes of its standard output, which may be where rigel's own result goes.
  enum class Output { kInherited, kStandardError };
  explicit ChildProcess(const std::vector<std::string>& command,
                        Output output = Output::kInherited);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void release();
  // Looks, does not wait.
  [[nodiscard]] bool has_ended();
  // Its exit code, or 128 + the signal that ended it; when it is still running it is ended now,
  // which is no failure of its own: 0.
  int end();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  void reap(int options);

  std::string name_;
  pid_t pid_ = -1;      // -1: reaped
  int go_fd_ = -1;      // written to: the child goes on
  int failed_fd_ = -1;  // the errno of its exec, closed by a successful one
  int code_ = 0;
};

}  // namespace rigel
