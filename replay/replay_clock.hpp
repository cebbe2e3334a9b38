// The one clock of a replay; behind an interface so that tests can run without waiting.
// now_ns() may be called from any thread.
#pragma once

#include <cstdint>
#include <ctime>

namespace rigel {

class ReplayClock {
 public:
  virtual ~ReplayClock() = default;
  [[nodiscard]] virtual std::int64_t now_ns() noexcept = 0;
};

// CLOCK_MONOTONIC: does not step, is what block tracepoints are commonly stamped with, and costs
// some 20 ns through the vDSO.
class MonotonicClock final : public ReplayClock {
 public:
  [[nodiscard]] std::int64_t now_ns() noexcept override {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }
};

}  // namespace rigel
