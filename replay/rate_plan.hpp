// When each I/O of a pattern is due if the pattern runs at another rate than its own: at one rate
// for good (--iops), or at a series of rates, each for the same time (--iops-ramp). Bursts and
// pauses keep their shape, because it is time itself that is stretched. Pure; the constructor
// throws UsageError.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rigel {

class RatePlan {
 public:
  static constexpr std::size_t kMaxLevels = 32;
  static constexpr double kMinRate = 1e-3;  // I/Os a second
  static constexpr double kMaxRate = 1e9;

  // Rates in I/Os a second; one level lasts for ever, several `level_ns` each.
  RatePlan(std::vector<double> rates, std::int64_t level_ns);
  // "A:B:STEP": A, A+STEP, … up to B.
  [[nodiscard]] static std::vector<double> parse_ramp(std::string_view text);

  struct Due {
    std::int64_t due_ns = 0;
    std::uint8_t level = 0;
    bool past_end = false;  // after the last level
  };
  // `position`: how many I/Os precede this one, on average, at the pattern's own constant rate
  // (its time since the start by the mean gap).
  [[nodiscard]] Due due(double position) const;
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  [[nodiscard]] std::int64_t level_ns() const { return level_ns_; }

 private:
  std::vector<double> rates_;
  std::int64_t level_ns_;
};

}  // namespace rigel
