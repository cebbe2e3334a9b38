// A small dense system of linear equations, solved by elimination with pivoting.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace rigel {

// Each row is one equation: its coefficients, then what they come to. False when singular.
template <std::size_t N>
[[nodiscard]] bool solve_linear(std::array<std::array<double, N + 1>, N>& rows,
                                std::array<double, N>& x) {
  for (std::size_t column = 0; column < N; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < N; ++row) {
      if (std::abs(rows[row][column]) > std::abs(rows[pivot][column])) pivot = row;
    }
    if (std::abs(rows[pivot][column]) < 1e-300) return false;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t row = 0; row < N; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t i = column; i <= N; ++i) rows[row][i] -= factor * rows[column][i];
    }
  }
  for (std::size_t i = 0; i < N; ++i) x[i] = rows[i][N] / rows[i][i];
  return true;
}

}  // namespace rigel
