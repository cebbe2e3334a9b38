// Devices over some time as `iostat` prints them: the columns of Solaris' iostat -xnz, or those of
// Linux' iostat -x that a replay knows. Pure; nothing throws but parse_iostat_style().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "replay/target_activity.hpp"

namespace rigel {

enum class IostatStyle : std::uint8_t { kSolaris, kLinux };
// "solaris" or "linux"; throws UsageError.
[[nodiscard]] IostatStyle parse_iostat_style(std::string_view text);

struct IostatRow {
  std::string device;
  std::string controller;
  ActivityCounts counts;  // of the interval
};

// Two lines of heading, then the devices that did something, in the order given; before the first
// device of a controller that has several, a line with their sums (%w and %b: their mean).
[[nodiscard]] std::string iostat_table(IostatStyle style, std::span<const IostatRow> rows,
                                       std::int64_t interval_ns);

}  // namespace rigel
