// Linear regression that a minority of strangers among the samples does not bend: least squares,
// reweighted by Tukey's biweight of the residuals over their median (P. J. Huber, "Robust
// Statistics", 1981, chapter 7).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "model/array/linear_system.hpp"

namespace rigel {

template <std::size_t N>
struct RobustSample {
  std::array<double, N> x{};
  double y = 0;
};

template <std::size_t N>
struct RobustLine {
  std::array<double, N> coefficients{};
  std::vector<double> residuals;  // one a sample, in order
  [[nodiscard]] double operator()(const std::array<double, N>& x) const {
    double y = 0;
    for (std::size_t i = 0; i < N; ++i) y += coefficients[i] * x[i];
    return y;
  }
};

// A coefficient that no sample tells of becomes 0.
template <std::size_t N>
[[nodiscard]] RobustLine<N> robust_line(const std::vector<RobustSample<N>>& samples) {
  constexpr int kRounds = 20;
  constexpr double kCut = 4.685 / 0.6745;  // 95 % as good as least squares on normal residuals
  constexpr double kRidge = 1e-9;          // of the diagonal: for what no sample tells of
  RobustLine<N> line;
  line.residuals.assign(samples.size(), 0);
  std::vector<double> weights(samples.size(), 1);
  std::vector<double> sorted(samples.size());
  for (int round = 0; round < kRounds && !samples.empty(); ++round) {
    std::array<std::array<double, N + 1>, N> rows{};
    for (std::size_t s = 0; s < samples.size(); ++s) {
      for (std::size_t i = 0; i < N; ++i) {
        for (std::size_t j = 0; j < N; ++j) {
          rows[i][j] += weights[s] * samples[s].x[i] * samples[s].x[j];
        }
        rows[i][N] += weights[s] * samples[s].x[i] * samples[s].y;
      }
    }
    for (std::size_t i = 0; i < N; ++i) rows[i][i] += kRidge * rows[i][i] + kRidge;
    if (!solve_linear<N>(rows, line.coefficients)) break;
    for (std::size_t s = 0; s < samples.size(); ++s) {
      line.residuals[s] = samples[s].y - line(samples[s].x);
      sorted[s] = std::abs(line.residuals[s]);
    }
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double cut = std::max(kCut * *middle, 1e-6);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const double u = line.residuals[s] / cut;
      weights[s] = std::abs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
    }
  }
  return line;
}

}  // namespace rigel
