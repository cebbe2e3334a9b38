// The hypotheses of explain.hpp, one function each; see there for how they are judged.
// Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "model/array/explain.hpp"

namespace rigel {

[[nodiscard]] std::vector<Hypothesis> test_hypotheses(const std::vector<PointEvidence>& points,
                                                      const ArrayClaim& claim);

// Overrules them by what a recording shows.
void decide_by_sequence(const SequenceEvidence& sequence, const std::vector<PointEvidence>& points,
                        const ArrayClaim& claim, std::vector<Hypothesis>& hypotheses);

[[nodiscard]] bool is_power_of_two(double n);

}  // namespace rigel
