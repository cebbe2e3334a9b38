// Synthetic workloads: where the next I/O goes. Uniform and Zipf address whole blocks of the I/O
// size; Zipf's ranks are spread over the span by a full-period step, so that what is hot is not
// also adjacent. One thread; the same seed gives the same sequence on every platform.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "model/array/array_simulator.hpp"

namespace rigel {

enum class PatternKind : std::uint8_t { kUniform, kZipf, kSequential };

struct PatternOptions {
  PatternKind kind = PatternKind::kUniform;
  double zipf_exponent = 0.9;  // 0 < s < 10
  std::uint64_t span_bytes = 0;
  std::uint32_t io_bytes = 8192;
  double write_fraction = 0;
  std::uint64_t seed = 1;
};

// "uniform", "zipf", "zipf:0.99" or "sequential" into `options`; false when it is none of them.
// Throws UsageError for an exponent that makes no sense.
bool parse_pattern(std::string_view text, PatternOptions& options);

class AccessPattern {
 public:
  // Throws UsageError when the span holds no I/O.
  explicit AccessPattern(const PatternOptions& options);
  [[nodiscard]] ArrayIo next();
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

 private:
  [[nodiscard]] std::uint64_t next_block();
  [[nodiscard]] std::uint64_t zipf_rank();

  PatternOptions options_;
  std::uint64_t blocks_;
  std::uint64_t position_ = 0;
  std::uint64_t step_ = 1;  // coprime to blocks_
  // Rejection-inversion (W. Hörmann, G. Derflinger, ACM TOMACS 6, 1996).
  [[nodiscard]] double zipf_integral(double x) const;
  [[nodiscard]] double zipf_integral_inverse(double x) const;
  double integral_first_ = 0;
  double integral_last_ = 0;
  double shortcut_ = 0;
  std::mt19937_64 random_;
};

}  // namespace rigel
