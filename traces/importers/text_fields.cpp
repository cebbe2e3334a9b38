#include "traces/importers/text_fields.hpp"

#include <fmt/format.h>

#include <array>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kLargestTimeNs = 9.2e18;  // 292 years, below 2^63 ns

constexpr std::array<std::int64_t, 10> kPowersOfTen{
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

}  // namespace

std::int64_t TextFields::time(const char* name, std::int64_t unit_ns) {
  begin(name);
  const bool negative = at_ != end_ && *at_ == '-';
  const char* const digits = at_ + (negative ? 1 : 0);
  std::uint64_t whole = 0;
  std::errc status{};
  at_ = digits;
  if (!take_digits(whole)) {
    const auto [rest, result] = std::from_chars(digits, end_, whole);
    status = result;
    if (status == std::errc::invalid_argument) fail(status, digits);
    if (!ok()) return 0;
    at_ = rest;
  }
  std::uint64_t fraction = 0;
  unsigned places = 0;
  if (at_ != end_ && *at_ == '.') {
    // Digits beyond the ninth are below a nanosecond whatever the unit.
    for (++at_; at_ != end_ && is_digit(*at_); ++at_) {
      if (places < kPowersOfTen.size() - 1) {
        fraction = fraction * 10 + static_cast<unsigned>(*at_ - '0');
        ++places;
      }
    }
  }
  std::int64_t result = 0;
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    double value = 0;
    const auto [after, scientific] = std::from_chars(digits, end_, value);
    value *= static_cast<double>(unit_ns);
    at_ = after;
    if (scientific != std::errc{} || !(value < kLargestTimeNs)) fail(Fault::kTooLarge);
    if (ok()) result = std::llround(value);
  } else {
    const auto unit = static_cast<std::uint64_t>(unit_ns);
    const auto most = static_cast<std::uint64_t>(kLargestTimeNs);
    if (status == std::errc::result_out_of_range || whole > most / unit) {
      fail(Fault::kTooLarge);
    } else {
      const auto scale = static_cast<std::uint64_t>(kPowersOfTen[places]);
      result = static_cast<std::int64_t>(whole * unit + (fraction * unit + scale / 2) / scale);
    }
  }
  finish_field();
  if (!ok()) return 0;
  return negative ? -result : result;
}

std::string TextFields::why() const {
  if (ok()) return {};
  const char* to = field_;
  while (to != end_ && !is_separator(*to) && to - field_ < 40) ++to;
  while (to != field_ && is_blank(to[-1])) --to;
  const std::string_view value{field_, static_cast<std::size_t>(to - field_)};
  switch (fault_) {
    case Fault::kNone:
      return {};
    case Fault::kMissing:
      return fmt::format("{} is missing", name_);
    case Fault::kNoNumber:
      return fmt::format("{}: '{}' is no number", name_, value);
    case Fault::kNegative:
      return fmt::format("{}: '{}' is negative", name_, value);
    case Fault::kTrailing:
      return fmt::format("{}: '{}' has something after the number", name_, value);
    case Fault::kTooLarge:
      return fmt::format("{}: '{}' is too large", name_, value);
    case Fault::kBeyondDevice:
      return fmt::format("{}: '{}' lies beyond 2^63 bytes, the end of the largest device", name_,
                         value);
    case Fault::kTooLong:
      return fmt::format("{}: '{}' is longer than one I/O can be (4 GiB)", name_, value);
  }
  return {};
}

std::int64_t time_unit_ns(std::string_view name) {
  if (name == "ns") return 1;
  if (name == "us") return kNsPerUs;
  if (name == "ms") return kNsPerMs;
  if (name == "s") return kNsPerSecond;
  throw UsageError{fmt::format("'{}' is no unit of time: ns, us, ms or s", name)};
}

}  // namespace rigel
