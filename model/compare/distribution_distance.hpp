// How far apart two distributions are, and whether that is more than chance.
//
// Kolmogorov-Smirnov: D = sup |F(x) - G(x)|. For independent observations, its significance is
// Q(l) = 2 sum (-1)^(k-1) exp(-2 k^2 l^2) (N. Smirnov, Ann. Math. Stat. 19, 1948) with
// l = (sqrt(n) + 0.12 + 0.11 / sqrt(n)) D, n = n_a n_b / (n_a + n_b) (M. A. Stephens, J. R. Stat.
// Soc. B 32, 1970). Wasserstein-1: the area between F and G, in the unit of x (S. S. Vallender,
// Theory Probab. Appl. 18, 1974). Total variation: half the sum of |p - q|, for categories.
//
// I/Os are not independent: they come in bursts and phases. So what counts here is a block
// bootstrap (H. R. Künsch, Ann. Statist. 17, 1989; blocks do not overlap: E. Carlstein, Ann.
// Statist. 14, 1986): each side's blocks are drawn anew with replacement, and the deviations from
// that side's own distribution, put into the distance, are what chance does when there is no
// difference. The share of draws that reach the measured distance is its p; their 95 % quantile q
// bounds it: by the triangle inequality the true distance is within q of the measured one in 95 %
// of cases. Deviations are widened by sqrt(k / (k - 1)) for k blocks, whose variance the draws
// underestimate by that. Where both sides change as they go on in the same way (caches warm),
// blocks of one place are drawn in pairs, so that the change is no chance; see
// DistanceOptions::paired. Pure functions; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/compare/blocked_samples.hpp"

namespace rigel {

// Of samples in any order, exact; each must hold something.
[[nodiscard]] double ks_distance(std::span<const double> a, std::span<const double> b);
[[nodiscard]] double wasserstein_distance(std::span<const double> a, std::span<const double> b);

// Q(lambda) above: 1 for 0, falling to 0.
[[nodiscard]] double kolmogorov_survival(double lambda);
// The chance of at least this distance between independent samples of these sizes.
[[nodiscard]] double ks_significance(double distance, double count_a, double count_b);

// A measured distance, its 95 % interval, and the chance of it when there is no difference.
struct DistanceEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double p = 1;
};

enum class Scale : std::uint8_t { kOrdered, kCategories };

struct DistributionDistance {
  DistanceEstimate shape;        // KS; of categories the total variation
  double p_if_independent = 1;   // of shape (KS), by Smirnov and Stephens: for comparison only
  DistanceEstimate wasserstein;  // 0 for categories
  bool told = false;             // false: too few observations; nothing but the values is known
};

struct DistanceOptions {
  Scale scale = Scale::kOrdered;
  double infinite_at = 0;  // where the Wasserstein distance puts infinite observations
  // Below both, chance is looked at more cheaply: no verdict hangs on it.
  double relevant_shape = 0;
  double relevant_wasserstein = 0;
  bool paired = false;  // blocks of one index are of one place in both
  std::uint64_t seed = 1;
};

// Fewer blocks with observations, or fewer observations, on either side say nothing about chance.
inline constexpr std::size_t kLeastBlocks = 8;
inline constexpr double kLeastObservations = 30;

// Both must hold observations.
[[nodiscard]] DistributionDistance distance_between(const BlockedSamples& a,
                                                    const BlockedSamples& b,
                                                    const DistanceOptions& options);

}  // namespace rigel
