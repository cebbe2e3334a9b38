#include "traces/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "traces/error.hpp"

namespace rigel {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kSizeUnits{
    Unit{"", 1},         Unit{"b", 1},        Unit{"k", 0x1p10},   Unit{"m", 0x1p20},
    Unit{"g", 0x1p30},   Unit{"t", 0x1p40},   Unit{"p", 0x1p50},   Unit{"kb", 0x1p10},
    Unit{"mb", 0x1p20},  Unit{"gb", 0x1p30},  Unit{"tb", 0x1p40},  Unit{"pb", 0x1p50},
    Unit{"kib", 0x1p10}, Unit{"mib", 0x1p20}, Unit{"gib", 0x1p30}, Unit{"tib", 0x1p40},
    Unit{"pib", 0x1p50},
};
constexpr std::array kTimeUnits{
    Unit{"ns", 1},   Unit{"us", 1e3},   Unit{"ms", 1e6},   Unit{"s", 1e9},     Unit{"sec", 1e9},
    Unit{"m", 60e9}, Unit{"min", 60e9}, Unit{"h", 3600e9}, Unit{"d", 86400e9},
};

std::string lower(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// The number and its unit's factor; the product must fit `limit`.
template <std::size_t N>
double parse(std::string_view text, const std::array<Unit, N>& units, double limit,
             const char* what, const char* example) {
  const auto refuse = [&](const char* why) {
    return UsageError{
        fmt::format("'{}' is not a {}: {} (write it like {})", text, what, why, example)};
  };
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (status != std::errc{} || !std::isfinite(number)) throw refuse("no number");
  if (number < 0 || text.front() == '-') throw refuse("negative");
  std::string_view suffix{rest, static_cast<std::size_t>(end - rest)};
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  const std::string name = lower(suffix);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const double value = number * unit.factor;
    if (value >= limit) throw refuse("too large");
    return value;
  }
  throw refuse(name.empty() ? "no unit" : "unknown unit");
}

}  // namespace

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, count);
  if (status == std::errc{} && rest == end) return count;
  const bool negative = text.starts_with('-');
  const bool too_large = status == std::errc::result_out_of_range && rest == end;
  throw UsageError{fmt::format("'{}' is not a whole number: {}", text,
                               negative    ? "negative"
                               : too_large ? "too large"
                                           : "digits are wanted")};
}

std::uint64_t parse_bytes(std::string_view text) {
  // Whole numbers keep all their digits; a fraction of a unit goes through double.
  std::uint64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, whole);
  if (status == std::errc{} && rest == end) return whole;
  const double value = parse(text, kSizeUnits, 0x1p64, "size", "8k, 96G or 3T");
  if (value != std::floor(value)) {
    throw UsageError{fmt::format("'{}' is not a size: not a whole number of bytes", text)};
  }
  return static_cast<std::uint64_t>(value);
}

std::int64_t parse_duration_ns(std::string_view text) {
  return static_cast<std::int64_t>(
      std::llround(parse(text, kTimeUnits, 9.2e18, "time", "300us, 1.5s or 10m")));
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 7> kNames{"B",   "KiB", "MiB", "GiB",
                                                          "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (unit + 1 < kNames.size() && (bytes >> (10 * (unit + 1))) != 0) ++unit;
  const std::uint64_t size = std::uint64_t{1} << (10 * unit);
  if (bytes % size == 0) return fmt::format("{} {}", bytes / size, kNames[unit]);
  return fmt::format("{:.2f} {}", static_cast<double>(bytes) / static_cast<double>(size),
                     kNames[unit]);
}

std::string format_duration(std::int64_t duration_ns) {
  static constexpr std::array kUnits{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"us", 1e3}};
  const double magnitude = std::abs(static_cast<double>(duration_ns));
  for (const Unit& unit : kUnits) {
    // 0.9995 of a unit would be printed as 1000 of the next smaller one.
    if (magnitude < 0.9995 * unit.factor) continue;
    const double value = static_cast<double>(duration_ns) / unit.factor;
    const double size = std::abs(value);
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit.name);
  }
  return fmt::format("{} ns", duration_ns);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string format_percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace rigel
