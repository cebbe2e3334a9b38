#include "cli/stop_signal.hpp"

#include <unistd.h>
#include <csignal>

namespace rigel {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal_number{0};

void handle(int signal_number) {
  if (stop_requested.exchange(true)) _exit(128 + signal_number);
  stop_signal_number = signal_number;
}

}  // namespace

const std::atomic<bool>& stop_flag() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = handle;  // without SA_RESTART: blocking calls return EINTR
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
  return stop_requested;
}

int stop_exit_code() {
  const int number = stop_signal_number;
  return number == 0 ? 0 : 128 + number;
}

}  // namespace rigel
