// A difference between two workloads, called A and B, in one plain sentence without its full stop.
// Pure functions; nothing throws but allocation.
#pragma once

#include <string>

#include "model/compare/blocked_samples.hpp"
#include "model/compare/page_heat.hpp"
#include "model/compare/workload_comparison.hpp"

namespace rigel {

// Of figures that are distributions.
[[nodiscard]] std::string difference_words(const Difference& difference, const BlockedSamples& a,
                                           const BlockedSamples& b, std::uint32_t page_bytes);
// Of footprint and hot spots.
[[nodiscard]] std::string place_words(const Difference& difference, const PageHeatSnapshot& a,
                                      const PageHeatSnapshot& b);

// A value in its unit: "61.2 %", "8 KiB", "312 us", "12.3".
[[nodiscard]] std::string figure_text(FigureUnit unit, double value);

}  // namespace rigel
