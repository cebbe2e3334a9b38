#include "traces/activity_map.hpp"

#include <algorithm>

namespace rigel {
namespace {

std::uint64_t not_before_zero(std::int64_t time_ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time_ns, 0));
}

std::size_t ceil_div(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

}  // namespace

void Timeline::halve() {
  for (std::size_t i = 0; i < kCells / 2; ++i) {
    const Cell& left = cells_[2 * i];
    const Cell& right = cells_[2 * i + 1];
    cells_[i] = {left.records + right.records, left.bytes + right.bytes,
                 left.outstanding_ns + right.outstanding_ns};
  }
  std::fill(cells_.begin() + kCells / 2, cells_.end(), Cell{});
  used_ = ceil_div(used_, 2);
}

void Timeline::widen_to(std::uint64_t cell_ns) {
  while (axis_.cell_width() < cell_ns) {
    axis_.widen();
    halve();
  }
}

void Timeline::stretch_to(std::uint64_t time_ns) {
  for (unsigned doublings = axis_.stretch_to(time_ns); doublings != 0; --doublings) halve();
  used_ = std::max(used_, axis_.index(time_ns) + 1);
}

void Timeline::add(std::int64_t start_ns, std::uint64_t bytes) {
  const std::uint64_t time = not_before_zero(start_ns);
  stretch_to(time);
  Cell& cell = cells_[axis_.index(time)];
  ++cell.records;
  cell.bytes += bytes;
}

void Timeline::add_outstanding(std::int64_t start_ns, std::int64_t end_ns) {
  std::uint64_t begin = not_before_zero(start_ns);
  const std::uint64_t end = not_before_zero(end_ns);
  if (end <= begin) return;
  stretch_to(end - 1);
  while (begin < end) {
    const std::size_t index = axis_.index(begin);
    const std::uint64_t border = std::min(end, (index + 1) * axis_.cell_width());
    cells_[index].outstanding_ns += static_cast<double>(border - begin);
    begin = border;
  }
}

std::vector<Timeline::Cell> Timeline::cells() const {
  return {cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(used_)};
}

void HeatMap::halve(bool rows) {
  std::vector<std::uint64_t> halved(counts_.size());
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      halved[(rows ? row / 2 : row) * kColumns + (rows ? column : column / 2)] += at(row, column);
    }
  }
  counts_ = std::move(halved);
}

void HeatMap::add(std::int64_t time_ns, std::uint64_t offset_bytes) {
  const std::uint64_t time = not_before_zero(time_ns);
  for (unsigned doublings = time_.stretch_to(time); doublings != 0; --doublings) halve(false);
  for (unsigned n = place_.stretch_to(offset_bytes); n != 0; --n) halve(true);
  ++at(place_.index(offset_bytes), time_.index(time));
}

HeatMap::Picture HeatMap::picture(std::size_t max_rows, std::size_t max_columns) const {
  std::size_t first_row = kRows;
  std::size_t last_row = 0;
  std::size_t last_column = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    first_row = std::min(first_row, i / kColumns);
    last_row = std::max(last_row, i / kColumns);
    last_column = std::max(last_column, i % kColumns);
  }
  Picture picture;
  if (first_row > last_row) return picture;
  const std::size_t rows_joined = ceil_div(last_row - first_row + 1, max_rows);
  const std::size_t columns_joined = ceil_div(last_column + 1, max_columns);
  picture.column_ns = columns_joined * time_.cell_width();
  picture.first_bytes = first_row * place_.cell_width();
  picture.row_bytes = rows_joined * place_.cell_width();
  picture.rows.assign(ceil_div(last_row - first_row + 1, rows_joined),
                      std::vector<std::uint64_t>(ceil_div(last_column + 1, columns_joined)));
  for (std::size_t row = first_row; row <= last_row; ++row) {
    for (std::size_t column = 0; column <= last_column; ++column) {
      picture.rows[(row - first_row) / rows_joined][column / columns_joined] +=
          counts_[row * kColumns + column];
    }
  }
  return picture;
}

}  // namespace rigel
