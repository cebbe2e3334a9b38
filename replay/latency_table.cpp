#include "replay/latency_table.hpp"

#include <bit>

namespace rigel {

std::uint8_t LatencyTable::size_class(std::uint32_t length_bytes) {
  return length_bytes == 0 ? std::uint8_t{0}
                           : static_cast<std::uint8_t>(std::bit_width(length_bytes - 1));
}

std::size_t LatencyTable::find(std::uint16_t target, IoOp op, std::uint8_t size_class,
                               std::uint8_t role) const {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const LatencyCell& cell = *cells_[i];
    if (cell.target == target && cell.op == op && cell.size_class == size_class &&
        cell.role == role) {
      return i;
    }
  }
  return cells_.size();
}

std::uint16_t LatencyTable::cell_of(const PlannedIo& io) {
  std::uint8_t size = size_class(io.length_bytes);
  std::uint8_t role = io.role;
  const std::size_t hash =
      (std::size_t{io.target} * 131 + static_cast<std::size_t>(io.op) * 67 + size * 7U + role) %
      recent_.size();
  if (recent_[hash] < cells_.size()) {
    const LatencyCell& cell = *cells_[recent_[hash]];
    if (cell.target == io.target && cell.op == io.op && cell.size_class == size &&
        cell.role == role) {
      return recent_[hash];
    }
  }
  std::size_t index = find(io.target, io.op, size, role);
  // Near the limit only the coarser cells are still made, so that every target and operation that
  // comes later finds one.
  if (index == cells_.size() && index >= kMaxCells / 2) {
    role = 0;
    index = find(io.target, io.op, size, role);
  }
  if (index == cells_.size() && index >= kMaxCells * 3 / 4) {
    size = 0;
    index = find(io.target, io.op, size, role);
  }
  if (index == cells_.size()) {
    if (index == kMaxCells) return kMaxCells - 1;
    cells_.push_back(std::make_unique<LatencyCell>());
    LatencyCell& cell = *cells_.back();
    cell.target = io.target;
    cell.op = io.op;
    cell.size_class = size;
    cell.role = role;
  }
  recent_[hash] = static_cast<std::uint16_t>(index);
  return recent_[hash];
}

}  // namespace rigel
