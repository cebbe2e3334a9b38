#include "replay/data_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::size_t kNoiseBytes = std::size_t{1} << 20;

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void check_share(const char* option, double share) {
  if (!(share >= 0 && share <= 1)) {
    throw UsageError{fmt::format("{} {}: must be between 0 and 1", option, share)};
  }
}

}  // namespace

DataPattern::DataPattern(const DataPatternOptions& options) : seed_(mix(options.seed)) {
  check_share("--compressible", options.compressible);
  check_share("--dedupe", options.dedupe);
  dedupe_below_ = static_cast<std::uint64_t>(std::ldexp(options.dedupe, 32));
  random_bytes_ = kBlockBytes - static_cast<std::size_t>(std::lround(
                                    options.compressible * static_cast<double>(kBlockBytes)));
  noise_.resize(kNoiseBytes);
  std::uint64_t state = seed_;
  for (std::size_t at = 0; at < kNoiseBytes; at += sizeof state) {
    const std::uint64_t word = mix(state++);
    std::memcpy(&noise_[at], &word, sizeof word);
  }
}

void DataPattern::fill(std::span<std::byte> into, std::uint64_t offset_bytes,
                       std::uint64_t write) const noexcept {
  for (std::size_t at = 0; at < into.size(); at += kBlockBytes) {
    const std::size_t length = std::min(kBlockBytes, into.size() - at);
    const std::size_t noisy = std::min(random_bytes_, length);
    const std::uint64_t draw = mix(mix(seed_ ^ (offset_bytes + at)) ^ write);
    std::byte* const block = into.data() + at;
    if ((draw >> 32) < dedupe_below_) {
      std::memcpy(block, &noise_[draw % kRepeatedBlocks * kBlockBytes], noisy);
    } else {
      // Any 8-byte aligned piece of the noise, made unique by what it is and where it goes.
      std::memcpy(block, &noise_[draw % ((kNoiseBytes - kBlockBytes) / 8) * 8], noisy);
      const std::uint64_t stamp[2] = {draw, mix(write + offset_bytes + at)};
      std::memcpy(block, stamp, std::min(sizeof stamp, noisy));
    }
    std::memset(block + noisy, 0, length - noisy);
  }
}

}  // namespace rigel
