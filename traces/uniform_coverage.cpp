#include "traces/uniform_coverage.hpp"

#include <algorithm>
#include <cmath>

namespace rigel {
namespace {

// Terms of the variance: as many as pages in the longest request times the number of lengths.
constexpr double kMaxTerms = 2e7;

// ln of (probability that two pages at distance `distance` both escape) / (that of independence).
// Written so that nothing cancels when the requests are small against the device.
double log_dependence(double pages, const std::map<std::uint64_t, std::uint64_t>& requests,
                      std::uint64_t distance) {
  double sum = 0;
  for (const auto& [length, count] : requests) {
    const double a = static_cast<double>(length) / pages;
    const double m = static_cast<double>(std::min(length, distance)) / pages;
    sum += static_cast<double>(count) * std::log1p((a - m - a * a) / ((1 - a) * (1 - a)));
  }
  return sum;
}

}  // namespace

Coverage uniform_coverage(std::uint64_t pages,
                          const std::map<std::uint64_t, std::uint64_t>& requests) {
  if (requests.empty() || pages == 0) return {0, 0.0};
  const std::uint64_t longest = requests.rbegin()->first;
  const auto n = static_cast<double>(pages);
  // One request covers (nearly) everything: nothing is left to chance.
  if (longest >= pages) return {n, 0.0};

  double log_escape = 0;
  for (const auto& [length, count] : requests) {
    log_escape += static_cast<double>(count) * std::log1p(-static_cast<double>(length) / n);
  }
  Coverage result{-n * std::expm1(log_escape), std::nullopt};
  if (2 * longest > pages) return result;
  if (static_cast<double>(longest) * static_cast<double>(requests.size()) > kMaxTerms) {
    return result;
  }
  const double escape = std::exp(log_escape);
  const double independent = escape * escape;
  double sum = -escape * std::expm1(log_escape);  // a page with itself
  for (std::uint64_t distance = 1; distance < longest; ++distance) {
    sum += 2 * independent * std::expm1(log_dependence(n, requests, distance));
  }
  const auto far_apart = static_cast<double>(pages - 2 * longest + 1);
  sum += far_apart * independent * std::expm1(log_dependence(n, requests, longest));
  result.variance_pages2 = std::max(0.0, n * sum);
  return result;
}

}  // namespace rigel
