#include "model/array/access_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

bool parse_pattern(std::string_view text, PatternOptions& options) {
  if (text == "uniform") return options.kind = PatternKind::kUniform, true;
  if (text == "sequential") return options.kind = PatternKind::kSequential, true;
  if (text != "zipf" && !text.starts_with("zipf:")) return false;
  options.kind = PatternKind::kZipf;
  if (text == "zipf") return true;
  text.remove_prefix(5);
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), options.zipf_exponent);
  if (status != std::errc{} || end != text.data() + text.size() ||
      !(options.zipf_exponent > 0 && options.zipf_exponent < 10)) {
    throw UsageError{fmt::format("'zipf:{}': an exponent between 0 and 10 is wanted", text)};
  }
  return true;
}

AccessPattern::AccessPattern(const PatternOptions& options)
    : options_{options}, random_{options.seed} {
  if (options_.io_bytes == 0) throw UsageError{"an I/O size of 0"};
  blocks_ = options_.span_bytes / options_.io_bytes;
  if (blocks_ == 0) {
    throw UsageError{fmt::format("a span of {} holds no I/O of {}",
                                 format_bytes(options_.span_bytes),
                                 format_bytes(options_.io_bytes))};
  }
  if (options_.kind != PatternKind::kZipf) return;
  // The golden ratio spreads neighbouring ranks far apart.
  step_ = static_cast<std::uint64_t>(static_cast<double>(blocks_) * 0.6180339887498949) | 1;
  while (std::gcd(step_, blocks_) != 1) ++step_;
  integral_first_ = zipf_integral(1.5) - 1;
  integral_last_ = zipf_integral(static_cast<double>(blocks_) + 0.5);
  shortcut_ = 2 - zipf_integral_inverse(zipf_integral(2.5) - std::pow(2, -options_.zipf_exponent));
}

// The integral of x^-s from 1 to x.
double AccessPattern::zipf_integral(double x) const {
  const double power = 1 - options_.zipf_exponent;
  const double log_x = std::log(x);
  return power == 0 ? log_x : std::expm1(power * log_x) / power;
}

double AccessPattern::zipf_integral_inverse(double x) const {
  const double power = 1 - options_.zipf_exponent;
  return power == 0 ? std::exp(x) : std::exp(std::log1p(std::max(-1.0, x * power)) / power);
}

std::uint64_t AccessPattern::zipf_rank() {
  for (;;) {
    const double u = integral_last_ + unit_interval(random_) * (integral_first_ - integral_last_);
    const double x = zipf_integral_inverse(u);
    const double k = std::clamp(std::round(x), 1.0, static_cast<double>(blocks_));
    if (k - x <= shortcut_ || u >= zipf_integral(k + 0.5) - std::pow(k, -options_.zipf_exponent)) {
      return std::min(static_cast<std::uint64_t>(k), blocks_) - 1;
    }
  }
}

std::uint64_t AccessPattern::next_block() {
  __extension__ using Wide = unsigned __int128;
  switch (options_.kind) {
    case PatternKind::kSequential: {
      const std::uint64_t block = position_;
      position_ = block + 1 == blocks_ ? 0 : block + 1;
      return block;
    }
    case PatternKind::kZipf:
      return static_cast<std::uint64_t>(Wide{zipf_rank()} * step_ % blocks_);
    case PatternKind::kUniform:
      break;
  }
  return static_cast<std::uint64_t>(Wide{random_()} * blocks_ >> 64);
}

ArrayIo AccessPattern::next() {
  ArrayIo io{next_block() * options_.io_bytes, options_.io_bytes, false};
  if (options_.write_fraction > 0) io.write = unit_interval(random_) <= options_.write_fraction;
  return io;
}

}  // namespace rigel
