#include "replay/rate_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "traces/error.hpp"

namespace rigel {

namespace {
constexpr double kLatestNs = 0x1p62;  // 146 years
}  // namespace

RatePlan::RatePlan(std::vector<double> rates, std::int64_t level_ns)
    : rates_(std::move(rates)), level_ns_(level_ns) {
  if (rates_.empty() || rates_.size() > kMaxLevels) {
    throw UsageError{fmt::format("a ramp has 1 to {} levels, not {}", kMaxLevels, rates_.size())};
  }
  for (const double rate : rates_) {
    if (!(rate >= kMinRate && rate <= kMaxRate)) {
      throw UsageError{
          fmt::format("a rate must be between 0.001 and 1,000,000,000 IOPS, not {}", rate)};
    }
  }
}

std::vector<double> RatePlan::parse_ramp(std::string_view text) {
  const auto refuse = [text] {
    return UsageError{
        fmt::format("--iops-ramp {}: write it FIRST:LAST:STEP, like 1000:5000:500", text)};
  };
  double parts[3] = {};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != ':')) throw refuse();
    const auto [rest, status] = std::from_chars(at, end, parts[i]);
    if (status != std::errc{} || !std::isfinite(parts[i]) || parts[i] <= 0) throw refuse();
    at = rest;
  }
  if (at != end || parts[1] < parts[0]) throw refuse();
  const double steps = std::floor((parts[1] - parts[0]) / parts[2] + 1e-9);
  if (steps >= static_cast<double>(kMaxLevels)) {
    throw UsageError{fmt::format("--iops-ramp {}: more than {} levels", text, kMaxLevels)};
  }
  std::vector<double> rates;
  for (int i = 0; i <= static_cast<int>(steps); ++i) rates.push_back(parts[0] + i * parts[2]);
  return rates;
}

RatePlan::Due RatePlan::due(double position) const {
  Due result;
  if (rates_.size() == 1) {
    result.due_ns = std::llround(std::min(position / rates_[0] * 1e9, kLatestNs));
    return result;
  }
  for (const double rate : rates_) {
    const double of_level = rate * static_cast<double>(level_ns_) / 1e9;
    if (position < of_level) {
      result.due_ns = result.level * level_ns_ + std::llround(position / rate * 1e9);
      return result;
    }
    position -= of_level;
    ++result.level;
  }
  result.past_end = true;
  return result;
}

}  // namespace rigel
