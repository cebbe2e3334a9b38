#include "cli/compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/missing_json.hpp"
#include "model/compare/difference_words.hpp"
#include "traces/missing_records.hpp"
#include "traces/printable.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostImportant = 3;

std::string_view unit_name(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kShare:
      return "share";
    case FigureUnit::kBytes:
      return "bytes";
    case FigureUnit::kBytesPerSecond:
      return "bytes/s";
    case FigureUnit::kNanoseconds:
      return "ns";
    case FigureUnit::kCount:
      break;
  }
  return "count";
}

Json estimate_json(const DistanceEstimate& estimate) {
  return {
      {"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}, {"p", estimate.p}};
}

std::string verdict(const Difference& difference) {
  if (difference.significant) return "DIFFERENT";
  if (difference.distance == 0) return "the same";
  if (!difference.beyond_chance) return "chance";
  return difference.matters ? "not certain" : "too little to matter";
}

Json difference_json(const Difference& difference) {
  Json json{{"key", difference.key},
            {"a", difference.a},
            {"b", difference.b},
            {"unit", unit_name(difference.unit)},
            {"distance", difference.distance},
            {"distance_low", difference.low},
            {"distance_high", difference.high},
            {"p", difference.p},
            {"p_if_independent", nullptr},
            {"wasserstein", nullptr},
            {"beyond_chance", difference.beyond_chance},
            {"significant", difference.significant},
            {"verdict", verdict(difference)},
            {"words", difference.words}};
  if (difference.p_if_independent) json["p_if_independent"] = *difference.p_if_independent;
  if (difference.wasserstein) json["wasserstein"] = estimate_json(*difference.wasserstein);
  return json;
}

Json trace_json(const ComparedTrace& trace) {
  const WorkloadProfile& profile = trace.profile;
  return {{"name", trace.name},
          {"records", profile.records},
          {"reads", profile.reads},
          {"writes", profile.writes},
          {"duration_ns", profile.duration_ns},
          {"page_sampling", profile.page_sampling},
          {"blocks", profile.places.size()}};
}

std::string heading(char letter, const ComparedTrace& trace) {
  const WorkloadProfile& profile = trace.profile;
  std::string text =
      fmt::format("{}  {}: {} I/Os", letter, printable(trace.name), format_count(profile.records));
  if (profile.duration_ns > 0) text += " in " + format_duration(profile.duration_ns);
  if (profile.page_sampling < 1) {
    text +=
        fmt::format(", reuse and hot spots by {:.3g} % of the pages", 100 * profile.page_sampling);
  }
  return text + "\n";
}

Json measured_json(const Measured& measured) {
  Json json{{"value", measured.value}, {"low", nullptr}, {"high", nullptr}};
  if (measured.low) json["low"] = *measured.low;
  if (measured.high) json["high"] = *measured.high;
  return json;
}

std::string measured_text(FigureUnit unit, const Measured& measured) {
  const std::string value = figure_text(unit, measured.value);
  if (!measured.low || !measured.high) return value;
  return fmt::format("{} ({} - {})", value, figure_text(unit, *measured.low),
                     figure_text(unit, *measured.high));
}

// p-values below what the draws resolve are not zero.
std::string chance(double p) {
  return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p);
}

std::string line(const Difference& difference) {
  return fmt::format(
      "{:<20} {:>10} {:>10} {:>8.4f} {:>6.3f}-{:<5.3f} {:>6} {:>9}  {}\n",
      printable(difference.key), figure_text(difference.unit, difference.a),
      figure_text(difference.unit, difference.b), difference.distance, difference.low,
      difference.high, chance(difference.p),
      difference.wasserstein ? figure_text(difference.unit, difference.wasserstein->value) : "-",
      verdict(difference));
}

Json comparison_json(const ComparedTrace& a, const ComparedTrace& b,
                     const WorkloadComparison& comparison) {
  Json json;
  json["same"] = comparison.same;
  json["a"] = trace_json(a);
  json["b"] = trace_json(b);
  json["place_records"] = comparison.place_records;
  json["differences"] = Json::array();
  for (const Difference& difference : comparison.differences) {
    json["differences"].push_back(difference_json(difference));
  }
  json["not_compared"] = comparison.missing;
  json["most_important"] = Json::array();
  for (const Difference* difference : most_important(comparison, kMostImportant)) {
    json["most_important"].push_back({{"key", difference->key}, {"words", difference->words}});
  }
  return json;
}

std::string agreement_of(const WorkloadComparison& comparison) {
  std::string uncertain;
  for (const Difference& difference : comparison.differences) {
    if (!difference.matters || !difference.beyond_chance) continue;
    uncertain += (uncertain.empty() ? "" : ", ") + difference.key;
  }
  return "\nThe same workload, as far as can be told.\n" +
         (uncertain.empty() ? "" : "Not certain: " + printable(uncertain) + ".\n");
}

std::string comparison_text(const ComparedTrace& a, const ComparedTrace& b,
                            const WorkloadComparison& comparison) {
  std::string text = heading('A', a) + heading('B', b);
  text += fmt::format("\n{:<20} {:>10} {:>10} {:>8} {:>12} {:>6} {:>9}\n", "", "A", "B", "distance",
                      "95 %    ", "p", "shift");
  for (const Difference& difference : comparison.differences) text += line(difference);
  for (const std::string& missing : comparison.missing) {
    text += fmt::format("not compared: {}\n", printable(missing));
  }
  if (comparison.place_records < std::max(a.profile.records, b.profile.records)) {
    text += fmt::format("reuse, footprint and hot spots: of the first {} I/Os of each\n",
                        format_count(comparison.place_records));
  }
  const auto important = most_important(comparison, kMostImportant);
  if (!comparison.same) text += "\nDifferent workloads. What matters most:\n";
  for (std::size_t i = 0; i < important.size(); ++i) {
    text +=
        fmt::format("{}. {}: {}.\n", i + 1, important[i]->family, printable(important[i]->words));
  }
  return text;
}

std::string change(const ResultDifference& difference) {
  if (difference.unit == FigureUnit::kShare || difference.a.value == 0) return "-";
  return fmt::format("{:+.1f}%", 100 * (difference.b.value / difference.a.value - 1));
}

// The significant ones, the largest first.
std::vector<const ResultDifference*> most_important(const ResultComparison& comparison) {
  std::vector<const ResultDifference*> found;
  for (const ResultDifference& difference : comparison.differences) {
    if (difference.significant()) found.push_back(&difference);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* x, const auto* y) { return x->distance > y->distance; });
  if (found.size() > kMostImportant) found.resize(kMostImportant);
  return found;
}

std::string words_of(const ResultDifference& difference) {
  return fmt::format("{} in A, {} in B ({})", figure_text(difference.unit, difference.a.value),
                     figure_text(difference.unit, difference.b.value), change(difference));
}

Json comparison_json(const MeasuredResult& a, const MeasuredResult& b,
                     const ResultComparison& comparison) {
  Json json;
  json["same"] = comparison.same;
  json["a"] = {{"name", a.name}};
  json["b"] = {{"name", b.name}};
  json["differences"] = Json::array();
  for (const ResultDifference& difference : comparison.differences) {
    json["differences"].push_back({{"key", difference.key},
                                   {"a", difference.a.value},
                                   {"b", difference.b.value},
                                   {"unit", unit_name(difference.unit)},
                                   {"distance", difference.distance},
                                   {"significant", difference.significant()},
                                   {"verdict", words_of(difference.verdict)},
                                   {"a_interval", measured_json(difference.a)},
                                   {"b_interval", measured_json(difference.b)}});
  }
  json["not_compared"] = comparison.missing;
  json["most_important"] = Json::array();
  for (const ResultDifference* difference : most_important(comparison)) {
    json["most_important"].push_back({{"key", difference->key}, {"words", words_of(*difference)}});
  }
  return json;
}

// What is to be known first.
std::string summary(const ResultComparison& comparison) {
  const auto count = [&](auto is) {
    return std::count_if(comparison.differences.begin(), comparison.differences.end(), is);
  };
  const auto different = count([](const auto& difference) { return difference.significant(); });
  const auto untold = count([](const auto& difference) { return !difference.told(); });
  std::string text = fmt::format("{} of {} figures differ by 5 % and more than counting noise",
                                 different, comparison.differences.size());
  if (untold > 0) text += fmt::format("; of {} it cannot be told", untold);
  text += different == 0 ? ".\n" : ". What differs most:\n";
  int rank = 0;
  for (const ResultDifference* difference : most_important(comparison)) {
    text += fmt::format("{}. {}: {}\n", ++rank, printable(difference->key), words_of(*difference));
  }
  if (different > 0) {
    text += "Runs of one system differ by more than counting noise, too: repeat a run to see.\n";
  }
  return text;
}

std::string comparison_text(const MeasuredResult& a, const MeasuredResult& b,
                            const ResultComparison& comparison) {
  std::string text =
      fmt::format("A  {}\nB  {}\n\n{}\n{:<24} {:>34} {:>34} {:>9}\n", printable(a.name),
                  printable(b.name), summary(comparison), "", "A", "B", "B to A");
  for (const ResultDifference& difference : comparison.differences) {
    text += fmt::format("{:<24} {:>34} {:>34} {:>9}  {}\n", printable(difference.key),
                        measured_text(difference.unit, difference.a),
                        measured_text(difference.unit, difference.b), change(difference),
                        words_of(difference.verdict));
  }
  for (const std::string& missing : comparison.missing) {
    text += fmt::format("not compared: {}\n", printable(missing));
  }
  return text;
}

std::vector<std::string> unanswered_by(const ResultComparison& comparison) {
  std::vector<std::string> lines;
  for (const ResultDifference& difference : comparison.differences) {
    if (difference.told()) continue;
    lines.push_back(fmt::format("{}: {}, {}", difference.key, words_of(difference),
                                words_of(difference.verdict)));
  }
  return lines;
}

std::vector<std::string> unanswered_by(const WorkloadComparison& comparison) {
  if (!comparison.too_short) return {};
  return {"one of them has too few I/Os to tell"};
}

// Their summary says it.
std::string agreement_of(const ResultComparison& /*comparison*/) {
  return {};
}

template <typename Input, typename Comparison>
CompareOutcome make_outcome(const Input& a, const Input& b, const Comparison& comparison) {
  CompareOutcome outcome;
  outcome.same = comparison.same;
  for (const auto& difference : comparison.differences) {
    outcome.distances.emplace_back(difference.key, difference.distance);
  }
  outcome.unanswered = unanswered_by(comparison);
  outcome.json = comparison_json(a, b, comparison);
  outcome.json["same"] = outcome.same_json();
  outcome.text = comparison_text(a, b, comparison);
  outcome.agreement = agreement_of(comparison);
  return outcome;
}

CompareOutcome alone(Json a) {
  CompareOutcome outcome;
  outcome.json["same"] = true;
  outcome.json["a"] = std::move(a);
  outcome.json["differences"] = Json::array();
  return outcome;
}

// As many I/Os can move a distribution by their share of all at most.
void add_loss(const std::string& name, double lost, bool at_least, double kept,
              CompareOutcome& outcome) {
  constexpr double kLeast = 0.02;  // the least of the distances that matter
  const double share = lost > 0 ? lost / (lost + kept) : 0;
  const std::string text =
      fmt::format("{}: {}{} of its I/Os are missing ({})", name, at_least ? "at least " : "",
                  format_count(static_cast<std::uint64_t>(lost)), format_percent(share));
  outcome.text += fmt::format("\n{}.\n", printable(text));
  if (share < kLeast && !at_least) return;
  outcome.unanswered.push_back(text);
  outcome.json["same"] = outcome.same_json();
}

}  // namespace

Json CompareOutcome::same_json() const {
  if (same && !unanswered.empty()) return nullptr;
  return same;
}

std::string CompareOutcome::whole_text() const {
  if (!same) return text;
  if (unanswered.empty()) return text + agreement;
  std::string reasons;
  for (const std::string& reason : unanswered) reasons += "- " + printable(reason) + "\n";
  return text + "\nIt cannot be told whether they are the same:\n" + reasons;
}

CompareOutcome outcome_of(const ComparedTrace& a) {
  return alone(trace_json(a));
}

CompareOutcome outcome_of(const MeasuredResult& a) {
  return alone({{"name", a.name}});
}

CompareOutcome outcome_of(const ComparedTrace& a, const ComparedTrace& b,
                          const WorkloadComparison& comparison) {
  return make_outcome(a, b, comparison);
}

CompareOutcome outcome_of(const MeasuredResult& a, const MeasuredResult& b,
                          const ResultComparison& comparison) {
  return make_outcome(a, b, comparison);
}

void add_missing(const ComparedTrace& trace, const char* side, CompareOutcome& outcome) {
  Json& json = outcome.json[side];
  add_missing_counts(trace.tables, json);
  add_missing_places(trace.tables, json);
  const MissingRecords missing = missing_records(trace.tables);
  if (missing.none()) return;
  add_loss(trace.name, static_cast<double>(missing.total()), missing.at_least,
           static_cast<double>(trace.profile.records), outcome);
}

void add_missing(const PredictedFrom& from, const std::string& name, CompareOutcome& outcome) {
  Json& json = outcome.json["prediction"];
  json["lost"] = from.lost;
  json["lost_at_least"] = from.lost_at_least;
  if (from.lost == 0 && !from.lost_at_least) return;
  add_loss(name, static_cast<double>(from.lost), from.lost_at_least,
           static_cast<double>(from.requests), outcome);
}

}  // namespace rigel
