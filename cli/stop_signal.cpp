#include "cli/stop_signal.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

namespace rigel {
namespace {

std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal_number{0};

// timeout(1) and terminals tell a process and its group: that is one request, told twice.
constexpr std::int64_t kSameRequestNs = 500'000'000;
std::atomic<std::int64_t> requested_ns{0};

std::int64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void handle(int signal_number) {
  if (stop_requested.exchange(true)) {
    if (now_ns() - requested_ns > kSameRequestNs) _exit(128 + signal_number);
    return;
  }
  requested_ns = now_ns();
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
