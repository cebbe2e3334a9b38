// What `rigel compare` found, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/compare/result_comparison.hpp"
#include "model/compare/workload_comparison.hpp"

namespace rigel {

struct ComparedTrace {
  std::string name;
  WorkloadProfile profile;
};

// Adds `same`, `a`, `b`, `differences[]`, `most_important[]` to the object.
void add_comparison_json(const ComparedTrace& a, const ComparedTrace& b,
                         const WorkloadComparison& comparison, nlohmann::ordered_json& json);
// About a screen.
[[nodiscard]] std::string comparison_text(const ComparedTrace& a, const ComparedTrace& b,
                                          const WorkloadComparison& comparison);

// The same of two results: adds `same`, `a`, `b`, `differences[]`, `not_compared[]`.
void add_comparison_json(const MeasuredResult& a, const MeasuredResult& b,
                         const ResultComparison& comparison, nlohmann::ordered_json& json);
[[nodiscard]] std::string comparison_text(const MeasuredResult& a, const MeasuredResult& b,
                                          const ResultComparison& comparison);

}  // namespace rigel
