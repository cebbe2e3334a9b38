#include "model/compare/nearest_zipf.hpp"

#include <algorithm>
#include <cmath>

#include "model/compare/heat_zones.hpp"

namespace rigel {
namespace {

constexpr double kMostTheta = 1.6;
constexpr double kThetaStep = 0.05;
constexpr double kMostBlocks = 1e12;

// Ranks one by one, then in zones of 5 %.
std::vector<HeatZone> zipf_zones(double blocks, double theta) {
  std::vector<HeatZone> zones;
  double sum = 0;
  for (double first = 1; first <= blocks;) {
    const double size = std::min(std::max(1.0, std::floor(first / 20)), blocks - first + 1);
    const double weight = size * std::pow(first + (size - 1) / 2, -theta);
    zones.push_back({size, weight});
    sum += weight;
    first += size;
  }
  for (HeatZone& zone : zones) zone.share /= sum;
  return zones;
}

// Over how many blocks so many requests touch that many distinct ones.
double blocks_for(double theta, double requests, double distinct) {
  double low = std::log(std::max(1.0, distinct));
  double high = std::log(kMostBlocks);
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const double found = expected_distinct(zipf_zones(std::exp(middle), theta), requests);
    (found < distinct ? low : high) = middle;
  }
  return std::round(std::exp(low));
}

}  // namespace

ZipfSpread nearest_zipf(double requests, double distinct_blocks, const LorenzCurve& recorded) {
  ZipfSpread nearest{0, 0, 2};
  for (int step = 0; step * kThetaStep <= kMostTheta + 1e-9; ++step) {
    const double theta = step * kThetaStep == 1 ? 0.99 : step * kThetaStep;
    const double blocks = blocks_for(theta, requests, distinct_blocks);
    const double gap = largest_gap(expected_curve(zipf_zones(blocks, theta), requests), recorded);
    if (gap < nearest.gap - 1e-3) nearest = {theta, blocks, gap};
  }
  return nearest;
}

}  // namespace rigel
