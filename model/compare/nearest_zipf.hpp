// The Zipf law that a recorded heat is nearest to, by its Lorenz curve. Pure functions.
#pragma once

#include "model/compare/page_heat.hpp"

namespace rigel {

struct ZipfSpread {
  double theta = 0;   // 0: uniform
  double blocks = 0;  // over so many
  double gap = 0;     // the largest between its Lorenz curve and the recorded one
};
// Of so many requests that touched so many distinct blocks; exponents 0 to 1.6 by 0.05, but 0.99
// for 1, which fio refuses.
[[nodiscard]] ZipfSpread nearest_zipf(double requests, double distinct_blocks,
                                      const LorenzCurve& recorded);

}  // namespace rigel
