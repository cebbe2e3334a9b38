// A secret reordering of the pages 0 … N-1 of a device: every page has exactly one image, and
// without the key nobody can tell which.
//
// A Feistel network over the smallest 2^b >= N whose output is fed back until it lands below N
// ("cycle walking": J. Black and P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002).
// As 2^b < 2N that takes fewer than two passes on average. The halves differ by at most one bit and
// take turns; ten rounds, as in FF1 of NIST SP 800-38G; the round function is SipHash-2-4
// (Aumasson and Bernstein, 2012) under a 128-bit key.
// Immutable: safe from any thread. Throws nothing.
#pragma once

#include <array>
#include <cstdint>

namespace rigel {

class PagePermutation {
 public:
  using Key = std::array<unsigned char, 16>;

  PagePermutation(const Key& key, std::uint64_t pages);

  // The image of `page`, which must be below the number of pages.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t page) const;

 private:
  [[nodiscard]] std::uint64_t encipher(std::uint64_t value) const;
  [[nodiscard]] std::uint64_t round_value(unsigned round, std::uint64_t half) const;

  Key key_;
  std::uint64_t pages_;
  unsigned low_bits_;
  unsigned high_bits_;
};

}  // namespace rigel
