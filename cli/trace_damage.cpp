#include "cli/trace_damage.hpp"

#include <fmt/format.h>

#include "traces/quantity.hpp"

namespace rigel {

std::string describe(const Damage& damage) {
  std::string text = fmt::format("byte {}: ", damage.offset_bytes);
  if (damage.length_bytes != 0) text += format_count(damage.length_bytes) + " bytes, ";
  if (damage.records_lost != 0) text += format_count(damage.records_lost) + " records lost, ";
  return text + damage.reason;
}

}  // namespace rigel
