// Differences of times that come from a file. Pure.
#pragma once

#include <cstdint>
#include <limits>

namespace rigel {

// Later minus earlier, at least 0: the times of a damaged trace may be further apart than fits.
[[nodiscard]] inline std::int64_t elapsed_ns(std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t result = 0;
  if (to_ns <= from_ns) return 0;
  if (__builtin_sub_overflow(to_ns, from_ns, &result)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return result;
}

}  // namespace rigel
