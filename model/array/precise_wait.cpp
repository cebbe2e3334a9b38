#include "model/array/precise_wait.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>
#include <vector>

namespace rigel {

std::int64_t PreciseWait::now_ns() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

PreciseWait::PreciseWait() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const sched_param priority{1};
  static_cast<void>(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority));

  constexpr std::size_t kTimes = 50;
  constexpr timespec kSleep{0, 200'000};
  std::vector<std::int64_t> late;
  for (std::size_t i = 0; i < kTimes; ++i) {
    const std::int64_t due = now_ns() + kSleep.tv_nsec;
    ppoll(nullptr, 0, &kSleep, nullptr);
    late.push_back(now_ns() - due);
  }
  std::sort(late.begin(), late.end());
  // Nine times of ten it is not later. More than this would keep a processor busy for nothing.
  constexpr std::int64_t kMost = 150'000;
  wake_up_ns_ = std::clamp<std::int64_t>(late[kTimes * 9 / 10], 0, kMost);
}

bool PreciseWait::until(std::int64_t until_ns, bool precisely, std::span<pollfd> from) const {
  for (;;) {
    const std::int64_t left = until_ns - now_ns();
    if (left <= 0) return false;
    const std::int64_t sleep = precisely ? std::max<std::int64_t>(0, left - wake_up_ns_) : left;
    const timespec timeout{sleep / 1'000'000'000, sleep % 1'000'000'000};
    const int ready = ppoll(from.data(), from.size(), &timeout, nullptr);
    if (ready != 0) return ready > 0;
  }
}

}  // namespace rigel
