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
#include "traces/trace_tables.hpp"

namespace rigel {

struct ComparedTrace {
  std::string name;
  WorkloadProfile profile;
  TraceTables tables;  // as they were at its end
};

// What was found, whatever was compared.
struct CompareOutcome {
  bool same = true;                                       // no difference was found
  std::vector<std::pair<std::string, double>> distances;  // by key
  std::vector<std::string> unanswered;                    // what was asked and cannot be told
  // `same` and `differences[]` of the contract, and more; `schema` is not among it.
  nlohmann::ordered_json json;
  std::string text;       // about a screen, without the conclusion
  std::string agreement;  // the conclusion where nothing differs and all can be told

  // Null where nothing differs, but something cannot be told.
  [[nodiscard]] nlohmann::ordered_json same_json() const;
  // The text and the conclusion, which says what same_json() says.
  [[nodiscard]] std::string whole_text() const;
};

[[nodiscard]] CompareOutcome outcome_of(const ComparedTrace& a, const ComparedTrace& b,
                                        const WorkloadComparison& comparison);
[[nodiscard]] CompareOutcome outcome_of(const MeasuredResult& a, const MeasuredResult& b,
                                        const ResultComparison& comparison);
// Of one that is beside a prediction only.
[[nodiscard]] CompareOutcome outcome_of(const ComparedTrace& a);
[[nodiscard]] CompareOutcome outcome_of(const MeasuredResult& a);
// Adds what is missing of a trace that is `side` ("a" or "b"). As many I/Os can move a distribution
// by their share of all at most: what could hide a difference that matters leaves `same`
// unanswered.
void add_missing(const ComparedTrace& trace, const char* side, CompareOutcome& outcome);
// Adds a prediction to what was found.
void add_prediction(const PredictionCheck& check, CompareOutcome& outcome);
// Adds what was missing of the trace that the prediction, which was added, is of: as add_missing.
void add_missing(const PredictedFrom& from, const std::string& name, CompareOutcome& outcome);

}  // namespace rigel
