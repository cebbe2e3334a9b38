#include "model/compare/heat_zones.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "model/compare/log_bins.hpp"

namespace rigel {
namespace {

constexpr double kNearEnough = 0.01;
constexpr int kRounds = 300;
constexpr double kAlike = 1.05;  // rates of what is one zone
// Below this rate nearly all counts are 1 and how many pages were missed cannot be told.
constexpr double kLeastRate = 0.05;

// Counts by log_bins: a few hundred where a trace has tens of thousands.
std::vector<PagesOfCount> binned(const std::vector<PagesOfCount>& counts) {
  std::map<std::size_t, PagesOfCount> bins;
  for (const PagesOfCount& entry : counts) {
    PagesOfCount& bin = bins[log_bins::index_of(static_cast<std::uint64_t>(entry.accesses))];
    bin.accesses += entry.accesses * entry.pages;
    bin.pages += entry.pages;
  }
  std::vector<PagesOfCount> list;
  list.reserve(bins.size());
  for (const auto& [bin, sum] : bins) list.push_back({sum.accesses / sum.pages, sum.pages});
  return list;
}

double accesses_of(const std::vector<PagesOfCount>& counts) {
  double sum = 0;
  for (const PagesOfCount& entry : counts) sum += entry.accesses * entry.pages;
  return sum;
}

struct Component {
  double pages = 0;  // touched or not
  double rate = 0;   // accesses to each
};

// Each has the same share of the accesses, the coldest first.
std::vector<Component> first_guess(const std::vector<PagesOfCount>& counts, std::size_t parts) {
  const double share = accesses_of(counts) / static_cast<double>(parts);
  std::vector<Component> guess(parts);
  double before = 0;
  for (const PagesOfCount& entry : counts) {
    for (double left = entry.pages; left > 0;) {
      const auto part = std::min(parts - 1, static_cast<std::size_t>(before / share));
      double take = left;
      if (part + 1 < parts) {
        const double room = (static_cast<double>(part + 1) * share - before) / entry.accesses;
        take = std::min(left, std::max(room, 1e-9 * entry.pages));
      }
      guess[part].pages += take;
      before += take * entry.accesses;
      left -= take;
    }
  }
  for (Component& component : guess) {
    component.rate = component.pages > 0 ? std::max(kLeastRate, share / component.pages) : 1;
  }
  return guess;
}

void improve(std::vector<Component>& components, const std::vector<PagesOfCount>& counts) {
  std::vector<PagesOfCount> parts(components.size());  // touched pages and their accesses
  std::vector<double> density(components.size());
  for (const PagesOfCount& entry : counts) {
    double highest = -HUGE_VAL;
    for (std::size_t k = 0; k < components.size(); ++k) {
      const Component& c = components[k];
      density[k] = std::log(c.pages) + entry.accesses * std::log(c.rate) - c.rate;
      highest = std::max(highest, density[k]);
    }
    double sum = 0;
    for (double& value : density) sum += value = std::exp(value - highest);
    for (std::size_t k = 0; k < components.size(); ++k) {
      const double pages = entry.pages * density[k] / sum;
      parts[k].pages += pages;
      parts[k].accesses += pages * entry.accesses;
    }
  }
  for (std::size_t k = 0; k < components.size(); ++k) {
    Component& c = components[k];
    c.pages = std::max(1e-9, parts[k].pages / -std::expm1(-c.rate));
    c.rate = std::max(kLeastRate, parts[k].accesses / c.pages);
  }
}

std::vector<HeatZone> fit(const std::vector<PagesOfCount>& counts, std::size_t parts) {
  std::vector<Component> components = first_guess(counts, parts);
  for (int round = 0; round < kRounds; ++round) improve(components, counts);
  std::sort(components.begin(), components.end(),
            [](const Component& a, const Component& b) { return a.rate > b.rate; });
  double accesses = 0;
  for (const Component& c : components) accesses += c.pages * c.rate;
  std::vector<HeatZone> zones;
  double rate = 0;  // of the last
  for (const Component& c : components) {
    const double share = c.pages * c.rate / accesses;
    if (rate <= kAlike * c.rate && !zones.empty()) {
      zones.back().pages += c.pages;
      zones.back().share += share;
    } else {
      zones.push_back({c.pages, share});
      rate = c.rate;
    }
  }
  return zones;
}

}  // namespace

double expected_distinct(const std::vector<HeatZone>& zones, double accesses) {
  double distinct = 0;
  for (const HeatZone& zone : zones) {
    distinct -= zone.pages * std::expm1(-accesses * zone.share / zone.pages);
  }
  return distinct;
}

LorenzCurve expected_curve(const std::vector<HeatZone>& zones, double accesses) {
  constexpr double kManyAccesses = 200;  // to one page: as many as expected, near enough
  std::map<double, double, std::greater<>> counts;
  for (const HeatZone& zone : zones) {
    const double mean = accesses * zone.share / zone.pages;
    if (mean > kManyAccesses) {
      counts[mean] += zone.pages;
      continue;
    }
    double chance = std::exp(-mean);
    for (double count = 1; count < mean + 12 * std::sqrt(mean) + 12; ++count) {
      chance *= mean / count;
      counts[count] += zone.pages * chance;
    }
  }
  std::vector<PagesOfCount> list;
  list.reserve(counts.size());
  for (const auto& [accesses_each, pages] : counts) list.push_back({accesses_each, pages});
  return lorenz_curve(list);
}

double largest_gap(const LorenzCurve& a, const LorenzCurve& b) {
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = std::max(gap, std::abs(a[i] - b[i]));
  return gap;
}

std::vector<HeatZone> heat_zones(const std::vector<PagesOfCount>& counts, std::size_t most) {
  if (counts.empty()) return {};
  const LorenzCurve recorded = lorenz_curve(counts);
  const double accesses = accesses_of(counts);
  const std::vector<PagesOfCount> few = binned(counts);
  std::vector<HeatZone> nearest;
  double nearest_gap = HUGE_VAL;
  for (std::size_t parts = 1; parts <= most && nearest_gap > kNearEnough; ++parts) {
    std::vector<HeatZone> zones = fit(few, parts);
    const double gap = largest_gap(expected_curve(zones, accesses), recorded);
    if (gap < nearest_gap) {
      nearest_gap = gap;
      nearest = std::move(zones);
    }
  }
  return nearest;
}

}  // namespace rigel
