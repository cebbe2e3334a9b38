#include "replay/pacer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "traces/error.hpp"

namespace rigel {

SpinMode parse_spin_mode(std::string_view text) {
  if (text == "auto") return SpinMode::kAuto;
  if (text == "always") return SpinMode::kAlways;
  if (text == "never") return SpinMode::kNever;
  throw UsageError{fmt::format("--spin {}: must be auto, always or never", text)};
}

std::int64_t Pacer::sleep_ns(std::int64_t gap_ns) const {
  switch (mode_) {
    case SpinMode::kAlways:
      return 0;
    case SpinMode::kNever:
      return std::max<std::int64_t>(gap_ns, 1);
    case SpinMode::kAuto:
      break;
  }
  return gap_ns > margin_ns_ ? gap_ns - margin_ns_ : 0;
}

void Pacer::slept(std::int64_t wanted_ns, std::int64_t took_ns) {
  // Follows a late wake-up at once and forgets it within some hundred sleeps.
  const std::int64_t lateness = std::max<std::int64_t>(took_ns - wanted_ns, 0);
  const std::int64_t wanted_margin = std::max(margin_ns_ - margin_ns_ / 128, lateness * 5 / 4);
  margin_ns_ = std::clamp(wanted_margin, kMinMarginNs, kMaxMarginNs);
}

}  // namespace rigel
