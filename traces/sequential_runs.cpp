#include "traces/sequential_runs.hpp"

#include <algorithm>

namespace rigel {

bool SequentialRuns::add(std::uint32_t stream, std::uint32_t device, std::uint64_t offset_bytes,
                         std::uint32_t length_bytes) {
  Ends& ends = ends_[std::uint64_t{stream} << 32 | device];
  const auto end_of_used = ends.bytes.begin() + ends.used;
  const auto found = std::find(ends.bytes.begin(), end_of_used, offset_bytes);
  const std::uint64_t end = offset_bytes + length_bytes;
  if (found != end_of_used) {
    *found = end;
    return true;
  }
  if (ends.used < kLookBehind) {
    ends.bytes[ends.used++] = end;
  } else {
    ends.bytes[ends.oldest] = end;
    ends.oldest = (ends.oldest + 1) % kLookBehind;
  }
  return false;
}

}  // namespace rigel
