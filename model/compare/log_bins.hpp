// Log-linear bins over all of 64 bits: one for each value below 128, then 64 to every doubling, so
// a bin is at most 1/64 of its values wide and holds the sizes people use (multiples of 512 up to
// 64 KiB, powers of two) apart. The scheme is that of HdrHistogram (G. Tene). Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace rigel::log_bins {

inline constexpr unsigned kSubBits = 6;
inline constexpr std::size_t kCount = (65 - kSubBits) << kSubBits;

[[nodiscard]] constexpr std::size_t index_of(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  const unsigned shift = width > kSubBits + 1 ? width - kSubBits - 1 : 0;
  return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(value >> shift);
}

// The smallest value of a bin.
[[nodiscard]] constexpr std::uint64_t low_of(std::size_t bin) {
  if (bin < 2U << kSubBits) return bin;
  const std::size_t shift = (bin >> kSubBits) - 1;
  return (std::uint64_t{bin & ((1U << kSubBits) - 1)} + (1U << kSubBits)) << shift;
}

}  // namespace rigel::log_bins
