#include "traces/latency_map.hpp"

#include <algorithm>
#include <bit>

namespace rigel {
namespace {

std::size_t row_of(std::uint64_t latency_ns) {
  constexpr std::uint64_t kLowest = std::uint64_t{1} << LatencyMap::kLowestBits;
  constexpr std::uint64_t kHighest = (std::uint64_t{1} << LatencyMap::kHighestBits) - 1;
  const std::uint64_t value = std::clamp(latency_ns, kLowest, kHighest);
  const auto power = static_cast<unsigned>(std::bit_width(value)) - 1;
  return (power - LatencyMap::kLowestBits) * 4 + ((value >> (power - 2)) & 3);
}

std::uint64_t low_of(std::size_t row) {
  return (4 + row % 4) << (LatencyMap::kLowestBits - 2 + row / 4);
}

}  // namespace

void LatencyMap::add(std::int64_t time_ns, std::int64_t latency_ns) {
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(time_ns, 0));
  for (unsigned doublings = time_.stretch_to(time); doublings != 0; --doublings) {
    for (std::size_t row = 0; row < kRows; ++row) {
      std::uint64_t* const cells = &counts_[row * kColumns];
      for (std::size_t i = 0; i < kColumns / 2; ++i) cells[i] = cells[2 * i] + cells[2 * i + 1];
      std::fill(cells + kColumns / 2, cells + kColumns, 0);
    }
  }
  const auto latency = static_cast<std::uint64_t>(std::max<std::int64_t>(latency_ns, 0));
  ++counts_[row_of(latency) * kColumns + time_.index(time)];
}

LatencyMap::Picture LatencyMap::picture() const {
  std::size_t first_row = kRows;
  std::size_t last_row = 0;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    first_row = std::min(first_row, i / kColumns);
    last_row = i / kColumns;
    columns = std::max(columns, i % kColumns + 1);
  }
  Picture picture;
  if (columns == 0) return picture;
  picture.column_ns = time_.cell_width();
  for (std::size_t row = first_row; row <= last_row; ++row) {
    const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(row * kColumns);
    picture.rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
    picture.bounds_ns.push_back(low_of(row));
  }
  picture.bounds_ns.push_back(low_of(last_row + 1));
  return picture;
}

}  // namespace rigel
