// Are two traces the same workload? Figure by figure: what each has, how far apart they are,
// whether that is more than chance, and whether it is enough to matter.
//
// A difference is significant when both hold: the distance reaches the figure's least that matters
// (kFigureRules), and chance explains it with a probability below 5 % for all figures together (S.
// Holm, Scand. J. Statist. 6, 1979). With 100,000 I/Os a KS distance of 0.01 is beyond chance and
// of no interest; with 50 a distance of 0.1 may be chance. Distances and their p: see
// distribution_distance.hpp; of hot spots by the jackknife over groups of pages, of the footprint
// by how the difference of first touches varies from block to block. How much is touched and
// re-read depends on how long one looks: footprint, reuse and hot spots are compared over as many
// requests of both as the shorter one has (to the block; to a power of two when that would leave
// the longer one fewer than 16 blocks), block by block of as many requests. Pure functions; nothing
// throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/compare/distribution_distance.hpp"
#include "model/compare/workload_profile.hpp"

namespace rigel {

enum class FigureUnit : std::uint8_t { kShare, kBytes, kBytesPerSecond, kNanoseconds, kCount };

struct Difference {
  std::string key;
  std::string family;  // figures that tell of the same thing
  FigureUnit unit = FigureUnit::kCount;
  double a = 0;  // the figure, as the rule says: mostly the mean
  double b = 0;
  double distance = 0;  // 0 to 1
  double low = 0;       // its 95 % interval
  double high = 1;
  double p = 1;  // of what reaches its least that matters; else of the distance
  std::optional<double> p_if_independent;       // the same by Smirnov and Stephens, of KS distances
  std::optional<DistanceEstimate> wasserstein;  // in `unit`; of reuse in pages
  bool matters = false;                         // something reaches its least that matters
  bool beyond_chance = false;                   // p is at most 5 %, whether it matters or not
  bool significant = false;                     // it matters, and p passes Holm's test
  std::string words;
};

// What makes a figure of a trace comparable, and from where on a difference matters.
struct FigureRule {
  std::string_view key;
  std::string_view family;
  FigureUnit unit;
  double least_distance;     // of `distance` that matters
  double least_wasserstein;  // as a share of the larger mean; infinity: not looked at
};
// In the order in which differences are listed; role latencies follow the rule of the last.
[[nodiscard]] std::span<const FigureRule> figure_rules();

struct WorkloadComparison {
  bool same = true;                     // no difference is significant
  std::vector<Difference> differences;  // of every figure that both have
  std::vector<std::string> missing;     // figures that only one has, or too little of
  bool too_short = false;               // one has too few requests for any verdict
  std::uint64_t place_records = 0;      // so many requests of each were compared for places
};

[[nodiscard]] WorkloadComparison compare_workloads(const WorkloadProfile& a,
                                                   const WorkloadProfile& b);

// The significant ones, the largest first, one of a family.
[[nodiscard]] std::vector<const Difference*> most_important(const WorkloadComparison& comparison,
                                                            std::size_t most);

}  // namespace rigel
