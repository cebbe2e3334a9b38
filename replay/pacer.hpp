// How to wait for the next deadline: asleep in the kernel until shortly before it, then spinning on
// the clock, because a kernel timer wakes a thread late by an amount that depends on the host.
// Deadlines are absolute, so being late once never moves those that follow. One thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace rigel {

enum class SpinMode : std::uint8_t {
  kAuto,    // sleep while there is time, spin for the rest
  kAlways,  // a whole core, the best times
  kNever,   // sleep to the deadline: late by the host's wake-up time, nearly no CPU
};

// "auto", "always", "never"; throws UsageError.
[[nodiscard]] SpinMode parse_spin_mode(std::string_view text);

class Pacer {
 public:
  explicit Pacer(SpinMode mode) : mode_(mode) {}

  // How long to sleep when the deadline is `gap_ns` away; 0: spin.
  [[nodiscard]] std::int64_t sleep_ns(std::int64_t gap_ns) const;
  // After a sleep of `wanted_ns` that nothing cut short and that took `took_ns`.
  void slept(std::int64_t wanted_ns, std::int64_t took_ns);
  [[nodiscard]] std::int64_t margin_ns() const { return margin_ns_; }

 private:
  static constexpr std::int64_t kMinMarginNs = 20'000;
  static constexpr std::int64_t kMaxMarginNs = 500'000;
  SpinMode mode_;
  std::int64_t margin_ns_ = 100'000;
};

}  // namespace rigel
