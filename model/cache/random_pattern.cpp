#include "model/cache/random_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "traces/error.hpp"

namespace rigel {

namespace {

constexpr double kSingleRanks = 4096;
constexpr double kGroupGrowth = 1.002;

// The integral of x^-alpha from a to b.
double power_mass(double a, double b, double alpha) {
  if (std::abs(alpha - 1) < 1e-9) return std::log(b / a);
  return (std::pow(b, 1 - alpha) - std::pow(a, 1 - alpha)) / (1 - alpha);
}

// Where a function that grows from 0 reaches `value`, to the last few bits.
template <typename Function>
double solve_growing(Function function, double value) {
  double high = 1;
  while (function(high) < value && high < 1e300) high *= 2;
  double low = 0;
  for (int i = 0; i < 100 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) < value ? low : high) = middle;
  }
  return high;
}

}  // namespace

RandomPattern::RandomPattern(std::uint64_t span_pages, double alpha)
    : span_pages_{static_cast<double>(span_pages)} {
  if (span_pages == 0) throw UsageError{"the span of random I/O holds no page"};
  if (!(alpha >= 0 && alpha <= 10)) throw UsageError{"Zipf's exponent must be in 0..10"};
  if (alpha == 0) {
    groups_.push_back({span_pages_, 1 / span_pages_});
    return;
  }
  double sum = 0;
  for (double begin = 1; begin <= span_pages_;) {
    const double end = begin < kSingleRanks
                           ? begin + 1
                           : std::min(std::floor(begin * kGroupGrowth), span_pages_ + 1);
    const double mass =
        begin < kSingleRanks ? std::pow(begin, -alpha) : power_mass(begin - 0.5, end - 0.5, alpha);
    groups_.push_back({end - begin, mass / (end - begin)});
    sum += mass;
    begin = end;
  }
  for (RankGroup& group : groups_) group.probability /= sum;
}

double RandomPattern::distinct_pages(double requests) const {
  double sum = 0;
  for (const RankGroup& group : groups_) {
    sum -= group.pages * std::expm1(-group.probability * requests);
  }
  return sum;
}

double RandomPattern::hits_unevicted(double requests) const {
  double sum = 0;
  for (const RankGroup& group : groups_) {
    sum -= group.pages * group.probability * std::expm1(-group.probability * requests);
  }
  return sum;
}

double RandomPattern::requests_to_fill(std::uint64_t cache_pages) const {
  const auto capacity = static_cast<double>(cache_pages);
  if (capacity >= span_pages_) return std::numeric_limits<double>::infinity();
  return solve_growing([this](double requests) { return distinct_pages(requests); }, capacity);
}

double RandomPattern::hit_ratio(std::uint64_t cache_pages) const {
  if (static_cast<double>(cache_pages) >= span_pages_) return 1;
  return hits_unevicted(requests_to_fill(cache_pages));
}

double RandomPattern::hit_ratio_after(double requests, std::uint64_t cache_pages) const {
  return hits_unevicted(std::min(requests, requests_to_fill(cache_pages)));
}

double RandomPattern::hit_ratio_of_first(double requests, std::uint64_t cache_pages) const {
  const double filling = std::min(requests, requests_to_fill(cache_pages));
  // While nothing is evicted, every miss is a page that is new.
  const double hits = filling - distinct_pages(filling);
  return (hits + (requests - filling) * hits_unevicted(filling)) / requests;
}

double RandomPattern::requests_until(double hit_ratio) const {
  return solve_growing([this](double requests) { return hits_unevicted(requests); }, hit_ratio);
}

}  // namespace rigel
