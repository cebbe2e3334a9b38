#include "model/compare/distribution_distance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace rigel {
namespace {

constexpr std::size_t kFewDraws = 199;
constexpr std::size_t kManyDraws = 1999;

// Steps through all values of both in order: visit(width to the next value, F - G until there).
template <typename Visit>
void walk(std::span<const double> a, std::span<const double> b, Visit visit) {
  std::vector<double> x(a.begin(), a.end());
  std::vector<double> y(b.begin(), b.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  std::vector<double> all(x.size() + y.size());
  std::merge(x.begin(), x.end(), y.begin(), y.end(), all.begin());
  std::size_t i = 0;
  std::size_t j = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    while (i < x.size() && x[i] <= all[k]) ++i;
    while (j < y.size() && y[j] <= all[k]) ++j;
    visit(k + 1 < all.size() ? all[k + 1] - all[k] : 0.0,
          static_cast<double>(i) / static_cast<double>(x.size()) -
              static_cast<double>(j) / static_cast<double>(y.size()));
  }
}

struct Distances {
  double shape = 0;
  double wasserstein = 0;
};

// One side: shares of its bins in use, over all and by block.
struct Side {
  std::vector<std::vector<double>> blocks;
  std::vector<double> totals;  // of each block
  std::vector<double> shares;
  double widening = 1;
};

class BlockBootstrap {
 public:
  BlockBootstrap(const BlockedSamples& a, const BlockedSamples& b, const DistanceOptions& options);
  [[nodiscard]] Distances measured() const;
  // What chance makes of no difference, so many times.
  [[nodiscard]] std::vector<Distances> draw(std::size_t draws);
  [[nodiscard]] bool enough() const { return enough(a_) && enough(b_); }

 private:
  [[nodiscard]] Side side_of(const BlockedSamples& samples) const;
  [[nodiscard]] Distances distances(const std::vector<double>& difference) const;
  [[nodiscard]] static bool enough(const Side& side);
  // How often each of so many blocks is taken, into times_.
  void draw_blocks(std::size_t count);
  // Adds sign x the deviation of what was drawn.
  void add_deviation(const Side& side, double sign, std::vector<double>& difference);

  Scale scale_;
  bool paired_;
  std::vector<std::size_t> bins_;  // in use on either side
  std::vector<double> widths_;     // to the next one's value
  Side a_;
  Side b_;
  std::mt19937_64 random_;
  std::vector<double> drawn_;
  std::vector<unsigned> times_;
};

BlockBootstrap::BlockBootstrap(const BlockedSamples& a, const BlockedSamples& b,
                               const DistanceOptions& options)
    : scale_{options.scale}, paired_{options.paired}, random_{options.seed} {
  std::vector<double> all = a.histogram();
  const std::vector<double> other = b.histogram();
  all.resize(std::max(all.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) all[i] += other[i];
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] > 0) bins_.push_back(i);
  }
  const auto value = [&](std::size_t bin) {
    return bin == BlockedSamples::kInfinite ? options.infinite_at
                                            : static_cast<double>(log_bins::low_of(bin));
  };
  for (std::size_t i = 0; i + 1 < bins_.size(); ++i) {
    widths_.push_back(std::max(0.0, value(bins_[i + 1]) - value(bins_[i])));
  }
  widths_.push_back(0);
  a_ = side_of(a);
  b_ = side_of(b);
  if (!paired_) return;
  for (Side* side : {&a_, &b_}) {  // blocks at the end without an observation
    side->blocks.resize(std::max(a_.blocks.size(), b_.blocks.size()),
                        std::vector<double>(bins_.size()));
    side->totals.resize(side->blocks.size());
  }
}

bool BlockBootstrap::enough(const Side& side) {
  const auto blocks =
      std::count_if(side.totals.begin(), side.totals.end(), [](double total) { return total > 0; });
  return static_cast<std::size_t>(blocks) >= kLeastBlocks &&
         std::accumulate(side.totals.begin(), side.totals.end(), 0.0) >= kLeastObservations;
}

Side BlockBootstrap::side_of(const BlockedSamples& samples) const {
  Side side;
  side.shares.resize(bins_.size());
  for (const std::vector<double>& block : samples.blocks()) {
    std::vector<double> packed(bins_.size());
    double total = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (bins_[i] < block.size()) packed[i] = block[bins_[i]];
      total += packed[i];
      side.shares[i] += packed[i];
    }
    side.blocks.push_back(std::move(packed));
    side.totals.push_back(total);
  }
  for (double& share : side.shares) share /= samples.count();
  const auto k = static_cast<double>(side.blocks.size());
  if (k > 1) side.widening = std::sqrt(k / (k - 1));
  return side;
}

Distances BlockBootstrap::distances(const std::vector<double>& difference) const {
  Distances result;
  if (scale_ == Scale::kCategories) {
    for (const double d : difference) result.shape += std::abs(d) / 2;
    return result;
  }
  double gap = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    gap += difference[i];
    result.shape = std::max(result.shape, std::abs(gap));
    result.wasserstein += std::abs(gap) * widths_[i];
  }
  return result;
}

Distances BlockBootstrap::measured() const {
  std::vector<double> difference(bins_.size());
  for (std::size_t i = 0; i < difference.size(); ++i) {
    difference[i] = a_.shares[i] - b_.shares[i];
  }
  return distances(difference);
}

void BlockBootstrap::draw_blocks(std::size_t count) {
  times_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) ++times_[random_() % count];
}

void BlockBootstrap::add_deviation(const Side& side, double sign, std::vector<double>& difference) {
  drawn_.assign(bins_.size(), 0);
  double total = 0;
  for (std::size_t block = 0; block < side.blocks.size(); ++block) {
    if (times_[block] == 0) continue;
    const double times = times_[block];
    total += times * side.totals[block];
    const double* from = side.blocks[block].data();
    for (std::size_t i = 0; i < drawn_.size(); ++i) drawn_[i] += times * from[i];
  }
  if (total == 0) return;  // only blocks without an observation: nothing to learn from
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    difference[i] += sign * side.widening * (drawn_[i] / total - side.shares[i]);
  }
}

std::vector<Distances> BlockBootstrap::draw(std::size_t draws) {
  std::vector<Distances> result;
  result.reserve(draws);
  std::vector<double> difference(bins_.size());
  for (std::size_t i = 0; i < draws; ++i) {
    std::fill(difference.begin(), difference.end(), 0.0);
    draw_blocks(a_.blocks.size());
    add_deviation(a_, 1, difference);
    if (!paired_) draw_blocks(b_.blocks.size());
    add_deviation(b_, -1, difference);
    result.push_back(distances(difference));
  }
  return result;
}

DistanceEstimate estimate(double measured, const std::vector<Distances>& draws,
                          double Distances::*part) {
  std::vector<double> sorted;
  sorted.reserve(draws.size());
  for (const Distances& draw : draws) sorted.push_back(draw.*part);
  std::sort(sorted.begin(), sorted.end());
  const auto reached =
      static_cast<double>(sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), measured));
  const auto n = static_cast<double>(sorted.size());
  const double bound = sorted[static_cast<std::size_t>(std::ceil(0.95 * n)) - 1];
  return {measured, std::max(0.0, measured - bound), measured + bound, (reached + 1) / (n + 1)};
}

}  // namespace

double ks_distance(std::span<const double> a, std::span<const double> b) {
  double distance = 0;
  walk(a, b, [&](double, double gap) { distance = std::max(distance, std::abs(gap)); });
  return distance;
}

double wasserstein_distance(std::span<const double> a, std::span<const double> b) {
  double area = 0;
  walk(a, b, [&](double width, double gap) { area += width * std::abs(gap); });
  return area;
}

double kolmogorov_survival(double lambda) {
  if (lambda < 0.2) return 1;  // 1 - Q is below 1e-12 there, and the series converges slowly
  double sum = 0;
  double sign = 2;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2 * k * k * lambda * lambda);
    sum += sign * term;
    if (term < 1e-16) break;
    sign = -sign;
  }
  return std::clamp(sum, 0.0, 1.0);
}

double ks_significance(double distance, double count_a, double count_b) {
  const double root = std::sqrt(count_a * count_b / (count_a + count_b));
  return kolmogorov_survival((root + 0.12 + 0.11 / root) * distance);
}

DistributionDistance distance_between(const BlockedSamples& a, const BlockedSamples& b,
                                      const DistanceOptions& options) {
  BlockBootstrap bootstrap{a, b, options};
  const Distances measured = bootstrap.measured();
  DistributionDistance result;
  result.shape = {measured.shape, 0, 1, 1};
  result.wasserstein.value = measured.wasserstein;
  result.p_if_independent = ks_significance(measured.shape, a.count(), b.count());
  result.told = bootstrap.enough();
  if (!result.told) return result;
  const bool relevant = measured.shape >= options.relevant_shape ||
                        measured.wasserstein >= options.relevant_wasserstein;
  const std::vector<Distances> draws = bootstrap.draw(relevant ? kManyDraws : kFewDraws);
  result.shape = estimate(measured.shape, draws, &Distances::shape);
  result.shape.high = std::min(1.0, result.shape.high);
  result.wasserstein = estimate(measured.wasserstein, draws, &Distances::wasserstein);
  return result;
}

}  // namespace rigel
