#include "traces/missing_records.hpp"

#include <fmt/format.h>

#include <map>

#include "traces/printable.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {
constexpr std::size_t kMostReasons = 20;
}  // namespace

std::string describe(const Damage& damage) {
  std::string text = fmt::format("byte {}: ", damage.offset_bytes);
  if (damage.length_bytes != 0) text += format_count(damage.length_bytes) + " bytes, ";
  if (damage.records_lost != 0) {
    text += fmt::format("{} record{} lost, ", format_count(damage.records_lost),
                        damage.records_lost == 1 ? "" : "s");
  }
  return text + printable(damage.reason);
}

MissingRecords missing_records(const TraceTables& tables) {
  MissingRecords missing;
  missing.damaged_places = tables.damage.size();
  std::map<std::string, std::uint64_t> by_cause;
  for (const Loss& loss : tables.losses) {
    missing.in_recording += loss.count;
    if (loss.count != 0) by_cause[loss.cause] += loss.count;
  }
  const std::size_t found = by_cause.size() + tables.damage.size();
  const std::size_t shown = found <= kMostReasons ? found : kMostReasons - 1;
  for (const auto& [cause, count] : by_cause) {
    if (missing.reasons.size() == shown) break;
    missing.reasons.push_back(
        fmt::format("{} I/Os lost: {}", format_count(count),
                    cause.empty() ? "the trace does not say why" : printable(cause)));
  }
  for (const Damage& damage : tables.damage) {
    missing.in_damage += damage.records_lost;
    if (damage.records_lost == 0) missing.at_least = true;
    if (missing.reasons.size() < shown) missing.reasons.push_back(describe(damage));
  }
  if (shown < found) missing.reasons.push_back(fmt::format("and {} more", found - shown));
  return missing;
}

}  // namespace rigel
