#include "traces/line_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "traces/error.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {
constexpr double kLargestFigure = 1e15;
}  // namespace

LineScanner::LineScanner(std::string_view text) : rest_{trimmed(text)} {}

bool LineScanner::word(std::string_view wanted) {
  skip_space();
  if (!rest_.starts_with(wanted)) return false;
  rest_.remove_prefix(wanted.size());
  return true;
}

std::optional<double> LineScanner::number() {
  skip_space();
  double value = 0;
  const auto [end, status] =
      std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, std::chars_format::fixed);
  if (status != std::errc{} || !std::isfinite(value) || value < 0 || value > kLargestFigure) {
    return std::nullopt;
  }
  last_ = rest_.substr(0, static_cast<std::size_t>(end - rest_.data()));
  rest_.remove_prefix(last_.size());
  return value;
}

double LineScanner::number_after(std::string_view wanted) {
  const std::optional<double> value = word(wanted) ? number() : std::nullopt;
  if (!value) throw Error{fmt::format("no number after '{}'", wanted)};
  return *value;
}

double LineScanner::rounding() const {
  const std::size_t point = last_.find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : last_.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

std::string_view LineScanner::rest() {
  skip_space();
  return rest_;
}

void LineScanner::skip_space() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
}

}  // namespace rigel
