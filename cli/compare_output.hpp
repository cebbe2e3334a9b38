// What `rigel compare` found, for people and for programs. Pure; nothing throws but for want of
// memory.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/compare/prediction_check.hpp"
#include "model/compare/result_comparison.hpp"
#include "model/compare/workload_comparison.hpp"

namespace rigel {

struct ComparedTrace {
  std::string name;
  WorkloadProfile profile;
};

// What was found, whatever was compared.
struct CompareOutcome {
  bool same = true;                                       // no difference was found
  std::vector<std::pair<std::string, double>> distances;  // by key
  std::vector<std::string> unanswered;                    // what was asked and cannot be told
  // `same` (null when nothing differs and something is unanswered) and `differences[]` of the
  // contract, and more; `schema` is not among it.
  nlohmann::ordered_json json;
  std::string text;  // about a screen
};

[[nodiscard]] CompareOutcome outcome_of(const ComparedTrace& a, const ComparedTrace& b,
                                        const WorkloadComparison& comparison);
[[nodiscard]] CompareOutcome outcome_of(const MeasuredResult& a, const MeasuredResult& b,
                                        const ResultComparison& comparison);
// Adds a prediction to what was found, which may be nothing yet.
void add_prediction(const PredictionCheck& check, CompareOutcome& outcome);

}  // namespace rigel
