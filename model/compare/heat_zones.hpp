// A recorded heat of pages as a few zones, each of pages that are accessed alike: a mixture of
// Poisson counts, fitted to how many pages were touched how often, so that what is chance alone
// makes no zone hotter, and the pages that nobody happened to touch are counted in. Expectation
// maximisation over zero-truncated counts (A. P. Dempster, N. M. Laird, D. B. Rubin, JRSS B 39,
// 1977; the mixing law's estimate: L. Simar, Annals of Statistics 4, 1976). Pure functions.
#pragma once

#include <vector>

#include "model/compare/page_heat.hpp"

namespace rigel {

struct HeatZone {
  double pages = 0;  // touched or not
  double share = 0;  // of all accesses, each page of it the same
};

// Hottest first, their shares 1 together: the fewest, at most `most`, whose expected Lorenz curve
// is within 0.01 of the recorded one, else the nearest. Counts in falling order of accesses; none
// of none.
[[nodiscard]] std::vector<HeatZone> heat_zones(const std::vector<PagesOfCount>& counts,
                                               std::size_t most);

// What is expected of so many independent accesses.
[[nodiscard]] LorenzCurve expected_curve(const std::vector<HeatZone>& zones, double accesses);
[[nodiscard]] double expected_distinct(const std::vector<HeatZone>& zones, double accesses);

[[nodiscard]] double largest_gap(const LorenzCurve& a, const LorenzCurve& b);

}  // namespace rigel
