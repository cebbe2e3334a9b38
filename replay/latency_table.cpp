#include "replay/latency_table.hpp"

#include <algorithm>
#include <bit>

namespace rigel {

std::uint8_t LatencyTable::size_class(std::uint32_t length_bytes) {
  return length_bytes == 0 ? std::uint8_t{0}
                           : static_cast<std::uint8_t>(std::bit_width(length_bytes - 1));
}

LatencyTable::Key LatencyTable::key_of(const LatencyCell& cell) {
  return {cell.target, cell.op, cell.level, cell.size_class, cell.role};
}

std::size_t LatencyTable::find(const Key& key) const {
  const auto found = std::find_if(cells_.begin(), cells_.end(),
                                  [&](const auto& cell) { return key_of(*cell) == key; });
  return static_cast<std::size_t>(found - cells_.begin());
}

std::uint16_t LatencyTable::cell_of(const PlannedIo& io) {
  Key key{io.target, io.op, io.level, size_class(io.length_bytes), io.role};
  const std::size_t hash = (std::size_t{key.target} * 131 + static_cast<std::size_t>(key.op) * 67 +
                            key.level * 29U + key.size_class * 7U + key.role) %
                           recent_.size();
  if (recent_[hash] < cells_.size() && key_of(*cells_[recent_[hash]]) == key) return recent_[hash];
  std::size_t index = find(key);
  // Near the limit only the coarser cells are still made, so that every target, operation and level
  // that comes later finds one.
  if (index == cells_.size() && index >= kMaxCells / 2) {
    key.role = 0;
    index = find(key);
  }
  if (index == cells_.size() && index >= kMaxCells * 3 / 4) {
    key.size_class = 0;
    index = find(key);
  }
  if (index == cells_.size()) {
    if (index == kMaxCells) return kMaxCells - 1;
    cells_.push_back(std::make_unique<LatencyCell>());
    LatencyCell& cell = *cells_.back();
    cell.target = key.target;
    cell.op = key.op;
    cell.level = key.level;
    cell.size_class = key.size_class;
    cell.role = key.role;
  }
  recent_[hash] = static_cast<std::uint16_t>(index);
  return recent_[hash];
}

}  // namespace rigel
