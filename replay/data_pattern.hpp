// What a replay writes: bytes that no array can shrink, unless a share of them is asked to be
// compressible or to repeat. Seeded, so that a run can be done again byte for byte.
// Safe from several threads once made; the constructor throws UsageError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rigel {

struct DataPatternOptions {
  double compressible = 0;  // share of each block that is zeros
  double dedupe = 0;        // share of blocks that are one of a few that repeat
  std::uint64_t seed = 1;
};

class DataPattern {
 public:
  static constexpr std::size_t kBlockBytes = 4096;
  // Blocks that `dedupe` draws from.
  static constexpr std::size_t kRepeatedBlocks = 64;

  explicit DataPattern(const DataPatternOptions& options);

  // Fills `into`, which goes to `offset_bytes`; `write` numbers the writes of this replay, so that
  // writing an address again writes something else.
  void fill(std::span<std::byte> into, std::uint64_t offset_bytes,
            std::uint64_t write) const noexcept;

 private:
  std::uint64_t seed_;
  std::uint64_t dedupe_below_;  // of 2^32
  std::size_t random_bytes_;    // of each block; zeros follow
  std::vector<std::byte> noise_;
};

}  // namespace rigel
