// Lengths of requests as a short list with shares in whole percents, as fio's `bssplit` takes them.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/compare/blocked_samples.hpp"

namespace rigel {

struct SizeShare {
  std::uint64_t bytes = 0;  // whole sectors of 4 KiB where those of the trace are, or 512 bytes
  int percent = 0;
};

// Sorted by length: each hundredth of the requests has the mean length of what lies in it, so their
// distribution and their bytes are followed to 1 % or so. Neighbours that are alike are one
// (60 at most, fio takes 64). None of none.
[[nodiscard]] std::vector<SizeShare> size_split(const BlockedSamples& lengths);
[[nodiscard]] std::string bssplit_text(const std::vector<SizeShare>& sizes);
// The largest share; of none: 0 bytes.
[[nodiscard]] SizeShare main_size(const std::vector<SizeShare>& sizes);

}  // namespace rigel
