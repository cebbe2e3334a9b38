#include "model/array/array_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "model/array/linear_system.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::size_t kParameters = 4;
enum Parameter : std::size_t { kUnqueued, kDisk, kDisks, kLink };
using Logs = std::array<double, kParameters>;  // ln of seconds, seconds, disks, seconds

// A parameter this far (in ln) from where it was best no longer matters: no bound on that side.
constexpr double kFarAway = 7;
constexpr double kSmallestLog = -25;
constexpr double kLargestLog = 12;

struct Sample {
  double outstanding;
  double log_iops;
};
using Samples = std::vector<Sample>;

// The same recursion as solve_closed(), for a number of disks that need not be whole.
std::vector<double> residuals(const Samples& samples, const Logs& logs) {
  const double unqueued = std::exp(logs[kUnqueued]);
  const double disk = std::exp(logs[kDisk]);
  const double disks = std::exp(logs[kDisks]);
  const double link = std::exp(logs[kLink]);
  std::vector<double> result;
  double at_disk = 0;
  double at_link = 0;
  double n = 0;
  double throughput = 0;
  for (const Sample& sample : samples) {
    while (n < sample.outstanding) {
      n += 1;
      const double in_disks = disk * (1 + at_disk);
      const double in_link = link * (1 + at_link);
      throughput = n / (unqueued + in_disks + in_link);
      at_disk = throughput * in_disks / disks;
      at_link = throughput * in_link;
    }
    result.push_back(std::log(throughput) - sample.log_iops);
  }
  return result;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

struct Optimum {
  Logs logs{};
  double cost = INFINITY;
};

// Levenberg-Marquardt from `start`, with parameter `fixed` held (kParameters: none).
Optimum minimise(const Samples& samples, const Logs& start, std::size_t fixed) {
  Optimum best{start, sum_of_squares(residuals(samples, start))};
  double damping = 1e-3;
  for (int iteration = 0; iteration < 60 && damping < 1e10; ++iteration) {
    const std::vector<double> r = residuals(samples, best.logs);
    std::array<std::vector<double>, kParameters> slopes;
    for (std::size_t p = 0; p < kParameters; ++p) {
      slopes[p].assign(r.size(), 0);
      if (p == fixed) continue;
      constexpr double kStep = 1e-5;
      Logs moved = best.logs;
      moved[p] += kStep;
      const std::vector<double> there = residuals(samples, moved);
      for (std::size_t i = 0; i < r.size(); ++i) slopes[p][i] = (there[i] - r[i]) / kStep;
    }
    std::array<std::array<double, kParameters + 1>, kParameters> rows{};
    for (std::size_t a = 0; a < kParameters; ++a) {
      for (std::size_t b = 0; b < kParameters; ++b) {
        for (std::size_t i = 0; i < r.size(); ++i) rows[a][b] += slopes[a][i] * slopes[b][i];
      }
      for (std::size_t i = 0; i < r.size(); ++i) rows[a][kParameters] -= slopes[a][i] * r[i];
      rows[a][a] += damping * rows[a][a] + (a == fixed ? 1 : 1e-12);
    }
    Logs step{};
    if (!solve_linear<kParameters>(rows, step)) break;
    Logs next = best.logs;
    for (std::size_t p = 0; p < kParameters; ++p) {
      if (p == fixed) continue;
      next[p] = std::clamp(next[p] + std::clamp(step[p], -1.0, 1.0), kSmallestLog, kLargestLog);
    }
    next[kDisks] = std::max(next[kDisks], 0.0);
    const double cost = sum_of_squares(residuals(samples, next));
    if (cost < best.cost) {
      const bool settled = best.cost - cost < 1e-12 * best.cost;
      best = {next, cost};
      damping = std::max(damping / 5, 1e-12);
      if (settled) break;
    } else {
      damping *= 4;
    }
  }
  return best;
}

// A link so fast that it does not show, yet is felt by a search that needs one.
constexpr double kNoLink = 1e-5;
// Exact data would leave no error at all; rounding is some 1e-6 of anything.
constexpr double kLeastCost = 1e-12;

Optimum minimise_from_all_sides(const Samples& samples, bool with_link) {
  const double alone_s = samples.front().outstanding / std::exp(samples.front().log_iops);
  double least_s = INFINITY;
  for (const Sample& sample : samples) least_s = std::min(least_s, std::exp(-sample.log_iops));
  Optimum best;
  for (const double unqueued : {0.02, 0.5, 0.95}) {
    for (const double disks : {1.0, 8.0, 64.0}) {
      for (const double link : {0.01, 0.9}) {
        const Logs start{std::log(alone_s * unqueued), std::log(alone_s * (1.02 - unqueued)),
                         std::log(disks), std::log(least_s * (with_link ? link : kNoLink))};
        const Optimum found = minimise(samples, start, with_link ? kParameters : kLink);
        if (found.cost < best.cost) best = found;
        if (!with_link) break;
      }
    }
  }
  return best;
}

// A link as slow as one disk is, to the curve, one disk more: there is a link only when the curve
// is significantly better with one (F test of one parameter more, at 1 %).
Optimum minimise_globally(const Samples& samples) {
  const Optimum without = minimise_from_all_sides(samples, false);
  const Optimum with = minimise_from_all_sides(samples, true);
  const double freedom = static_cast<double>(samples.size() - kParameters);
  const double significant = boost::math::quantile(boost::math::fisher_f{1, freedom}, 0.99);
  const double least = std::max(with.cost, kLeastCost);
  return (without.cost - least) / (least / freedom) > significant ? with : without;
}

// How far parameter `p` may go in `direction` until the fit is worse than `limit`.
std::optional<double> bound(const Samples& samples, const Optimum& best, std::size_t p,
                            double direction, double limit) {
  Logs from = best.logs;
  const auto fits = [&](double distance) {
    from[p] = best.logs[p] + direction * distance;
    if (p == kDisks && from[p] < 0) return false;
    Optimum found = minimise(samples, from, p);
    // The way that led here may have been a bad one: try from the best fit, too.
    if (found.cost > limit) {
      Logs again = best.logs;
      again[p] = from[p];
      const Optimum other = minimise(samples, again, p);
      if (other.cost < found.cost) found = other;
    }
    from = found.logs;
    return found.cost <= limit;
  };
  double inside = 0;
  double outside = 0.02;
  while (fits(outside)) {
    inside = outside;
    outside *= 2;
    if (outside > kFarAway) return std::nullopt;
  }
  for (int i = 0; i < 14; ++i) {
    const double middle = (inside + outside) / 2;
    (fits(middle) ? inside : outside) = middle;
  }
  return best.logs[p] + direction * outside;
}

Samples samples_of(const LoadCurve& curve) {
  Samples samples;
  for (const LoadPoint& point : curve.points) {
    if (point.outstanding < 1 || point.outstanding_large > 0 || point.iops <= 0) continue;
    if (point.outstanding > 65535 || point.outstanding != std::floor(point.outstanding)) continue;
    samples.push_back({point.outstanding, std::log(point.iops)});
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.outstanding < b.outstanding; });
  std::size_t loads = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i == 0 || samples[i].outstanding != samples[i - 1].outstanding) ++loads;
  }
  if (loads < 6) {
    throw Error{fmt::format("{}: {} different loads; a fit of 4 parameters needs at least 6",
                            curve.source, loads)};
  }
  return samples;
}

}  // namespace

ArrayFit fit_array(const LoadCurve& curve, double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw UsageError{"confidence: between 0 and 1"};
  const Samples samples = samples_of(curve);
  const Optimum best = minimise_globally(samples);
  const double freedom = static_cast<double>(samples.size() - kParameters);
  const double t = boost::math::quantile(boost::math::students_t{freedom}, (1 + confidence) / 2);
  const double limit = std::max(best.cost, kLeastCost) * (1 + t * t / freedom);
  ArrayFit fit;
  fit.confidence = confidence;
  fit.points = samples.size();
  fit.rms_error = std::sqrt(best.cost / freedom);
  const auto fitted = [&](std::size_t p, double scale) {
    FittedValue value{std::exp(best.logs[p]) * scale, std::nullopt, std::nullopt};
    if (const auto low = bound(samples, best, p, -1, limit)) value.low = std::exp(*low) * scale;
    if (const auto high = bound(samples, best, p, +1, limit)) value.high = std::exp(*high) * scale;
    return value;
  };
  fit.unqueued_ns = fitted(kUnqueued, 1e9);
  fit.disk_ns = fitted(kDisk, 1e9);
  fit.disks = fitted(kDisks, 1);
  if (fit.disks.low) fit.disks.low = std::max(1.0, *fit.disks.low);
  const FittedValue link = fitted(kLink, 1);
  fit.link_iops.value = 1 / link.value;
  if (link.high) fit.link_iops.low = 1 / *link.high;
  if (link.low) fit.link_iops.high = 1 / *link.low;

  fit.cannot_tell.push_back(
      "hit ratio and disk service time: only (1 - hit ratio) x service time shows");
  fit.cannot_tell.push_back("hit ratio and hit time: only hit ratio x hit time shows");
  if (!fit.disks.high)
    fit.cannot_tell.push_back("how many disks: the ladder does not saturate them");
  if (!fit.link_iops.high) fit.cannot_tell.push_back("a link limit: the curve stays below it");
  if (!fit.unqueued_ns.low)
    fit.cannot_tell.push_back("whether anything is answered without a queue");
  return fit;
}

}  // namespace rigel
