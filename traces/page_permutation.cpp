#include "traces/page_permutation.hpp"

#include <sodium.h>

#include <bit>
#include <cstring>

namespace rigel {
namespace {

constexpr unsigned kRounds = 10;

std::uint64_t mask(unsigned bits) {
  return (std::uint64_t{1} << bits) - 1;
}

}  // namespace

PagePermutation::PagePermutation(const Key& key, std::uint64_t pages) : key_{key}, pages_{pages} {
  static_assert(sizeof(Key) == crypto_shorthash_siphash24_KEYBYTES);
  const unsigned bits = pages <= 1 ? 0 : static_cast<unsigned>(std::bit_width(pages - 1));
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
}

std::uint64_t PagePermutation::operator()(std::uint64_t page) const {
  do {
    page = encipher(page);
  } while (page >= pages_);
  return page;
}

std::uint64_t PagePermutation::encipher(std::uint64_t value) const {
  std::uint64_t low = value & mask(low_bits_);
  std::uint64_t high = value >> low_bits_;
  for (unsigned round = 0; round < kRounds; round += 2) {
    low ^= round_value(round, high) & mask(low_bits_);
    high ^= round_value(round + 1, low) & mask(high_bits_);
  }
  return (high << low_bits_) | low;
}

std::uint64_t PagePermutation::round_value(unsigned round, std::uint64_t half) const {
  std::array<unsigned char, 9> input{static_cast<unsigned char>(round)};
  std::memcpy(input.data() + 1, &half, sizeof half);
  std::uint64_t output = 0;
  crypto_shorthash_siphash24(reinterpret_cast<unsigned char*>(&output), input.data(), input.size(),
                             key_.data());
  return output;
}

}  // namespace rigel
