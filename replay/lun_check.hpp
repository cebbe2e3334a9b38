// Whether a LUN can give an honest answer to a benchmark of reads. Space that was never written, or
// that holds nothing but zeros, is answered by an array that thins or compresses without its disks:
// what is then measured is the controller.
// Blocking; throws Error when the LUN cannot be read.
#pragma once

#include <cstdint>
#include <string>

#include "replay/target.hpp"

namespace rigel {

struct LunCheck {
  std::uint64_t sampled_blocks = 0;
  std::uint64_t zero_blocks = 0;      // of them
  std::uint64_t allocated_bytes = 0;  // of a file; a device's own size
  std::uint64_t size_bytes = 0;
};

// Reads `samples` blocks of `block_bytes` at places evenly spread, each at a random place within
// its share.
[[nodiscard]] LunCheck check_lun(const Target& lun, std::uint64_t seed, std::uint64_t samples = 256,
                                 std::uint32_t block_bytes = 8192);

// Why reads of this LUN would not be disk reads; empty when nothing speaks against it. A LUN is
// doubted when a tenth of its samples are zeros or its file has holes of more than a tenth.
[[nodiscard]] std::string doubt_about(const std::string& path, const LunCheck& check);

}  // namespace rigel
