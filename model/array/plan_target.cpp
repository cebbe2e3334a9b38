#include "model/array/plan_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

using Quantity = PlanTarget::Quantity;
using Ops = PlanTarget::Ops;

bool is_time(Quantity quantity) {
  return quantity == Quantity::kMean || quantity == Quantity::kMax ||
         quantity == Quantity::kQuantile;
}

double number(std::string_view text, const std::string& whole) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end || !std::isfinite(value) || value < 0) {
    throw UsageError{fmt::format("--target {}: '{}' is not a number", whole, text)};
  }
  return value;
}

// "99", "99.9" are percent; "999" and longer are the digits after the point, as in p999.
double parse_quantile(std::string_view digits, const std::string& whole) {
  const double value = number(digits, whole);
  const bool is_percent = digits.find('.') != std::string_view::npos || digits.size() <= 2;
  if (!is_percent && digits.front() != '9') {
    throw UsageError{fmt::format("--target {}: p{} is no percentile", whole, digits)};
  }
  const double quantile =
      is_percent ? value / 100 : value / std::pow(10.0, static_cast<double>(digits.size()));
  if (!(quantile > 0 && quantile < 1)) {
    throw UsageError{fmt::format("--target {}: p{} is no percentile", whole, digits)};
  }
  return quantile;
}

void set_quantity(std::string_view name, PlanTarget& target) {
  if (name == "mean") {
    target.quantity = Quantity::kMean;
  } else if (name == "max") {
    target.quantity = Quantity::kMax;
  } else if (name == "hit") {
    target.quantity = Quantity::kHit;
  } else if (name == "busy") {
    target.quantity = Quantity::kBusy;
  } else if (name.size() > 1 && name.front() == 'p') {
    target.quantity = Quantity::kQuantile;
    target.quantile = parse_quantile(name.substr(1), target.text);
  } else {
    throw UsageError{
        fmt::format("--target {}: there are mean, max, p50, p99, p99.9 and the like, hit and busy",
                    target.text)};
  }
}

void set_ops(std::string_view name, PlanTarget& target) {
  if (!is_time(target.quantity)) {
    throw UsageError{
        fmt::format("--target {}: (read) and (write) go with response times", target.text)};
  }
  if (name == "read") {
    target.ops = Ops::kRead;
  } else if (name == "write") {
    target.ops = Ops::kWrite;
  } else {
    throw UsageError{
        fmt::format("--target {}: ({}) is neither (read) nor (write)", target.text, name)};
  }
}

double parse_limit(std::string_view text, const PlanTarget& target) {
  if (is_time(target.quantity)) return static_cast<double>(parse_duration_ns(text));
  const bool is_percent = !text.empty() && text.back() == '%';
  const double value = is_percent ? number(text.substr(0, text.size() - 1), target.text) / 100
                                  : number(text, target.text);
  if (value > 1) {
    throw UsageError{fmt::format("--target {}: a ratio is at most 1, or 100%", target.text)};
  }
  return value;
}

}  // namespace

PlanTarget parse_plan_target(std::string_view text) {
  PlanTarget target;
  target.text = text;
  std::string spaceless;
  for (const char c : text) {
    if (c != ' ') spaceless += c;
  }
  const std::string_view words = spaceless;
  const std::size_t sign = words.find_first_of("<>");
  if (sign == std::string_view::npos || sign == 0) {
    throw UsageError{fmt::format("--target {}: write it like 'p99(read)<5ms' or 'hit>80%'", text)};
  }
  target.at_most = words[sign] == '<';
  std::string_view name = words.substr(0, sign);
  std::string_view limit = words.substr(sign + 1);
  if (!limit.empty() && limit.front() == '=') limit.remove_prefix(1);
  const std::size_t open = name.find('(');
  std::string_view ops;
  if (open != std::string_view::npos) {
    if (name.back() != ')') throw UsageError{fmt::format("--target {}: no ')'", text)};
    ops = name.substr(open + 1, name.size() - open - 2);
    name = name.substr(0, open);
  }
  set_quantity(name, target);
  if (open != std::string_view::npos) set_ops(ops, target);
  target.limit = parse_limit(limit, target);
  return target;
}

const LatencyHistogram& PlanTarget::latency_of(const LoadResult& result) const {
  if (quantity == Quantity::kHit) return result.read_latency;
  return ops == Ops::kRead    ? result.read_latency
         : ops == Ops::kWrite ? result.write_latency
                              : result.latency;
}

double PlanTarget::value(const LoadResult& result) const {
  const LatencyHistogram& latency = latency_of(result);
  double busiest = 0;
  for (const PartUse& part : result.parts) busiest = std::max(busiest, part.busiest);
  switch (quantity) {
    case Quantity::kMean:
      return latency.count() == 0 ? 0 : latency.mean_ns();
    case Quantity::kMax:
      return latency.count() == 0 ? 0 : static_cast<double>(latency.max_ns());
    case Quantity::kQuantile:
      return latency.count() == 0 ? 0 : static_cast<double>(latency.quantile_ns(quantile));
    case Quantity::kHit:
      return result.hit_ratio;
    case Quantity::kBusy:
      return busiest;
  }
  return 0;
}

bool PlanTarget::is_met_by(const LoadResult& result) const {
  if (result.overloaded) return false;
  const double reached = value(result);
  return at_most ? reached <= limit : reached >= limit;
}

bool PlanTarget::has_ios(const LoadResult& result) const {
  return latency_of(result).count() != 0;
}

double PlanTarget::margin(const LoadResult& result) const {
  // Below any that kept up; of two that did not, the one that did more.
  if (result.overloaded) return std::min(0.01, 1e-9 * result.iops);
  const double reached = value(result);
  const double over = at_most ? limit : reached;
  const double under = at_most ? reached : limit;
  return under > 0 ? over / under : std::numeric_limits<double>::infinity();
}

std::string PlanTarget::format(double value) const {
  if (is_time(quantity)) return format_duration(static_cast<std::int64_t>(value));
  return fmt::format("{:.1f} %", 100 * value);
}

}  // namespace rigel
