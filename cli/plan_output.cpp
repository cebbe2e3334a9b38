#include "cli/plan_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/latency_json.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMonthsAYear = 12;

// Until the load has grown that much; nothing where it shrinks already or does not grow.
std::optional<double> months(const PlanReport& report, const CandidateAnswer& answer) {
  if (!report.growth_a_year || answer.headroom < 1) return std::nullopt;
  return kMonthsAYear * std::log(answer.headroom) / std::log1p(*report.growth_a_year);
}

// The target that is missed by most, by name where there are several, with what it came to.
std::string worst(const PlanQuestion& question, const LoadResult& result) {
  if (result.overloaded) return "overload";
  const auto target = std::min_element(
      question.targets.begin(), question.targets.end(),
      [&](const auto& a, const auto& b) { return a.margin(result) < b.margin(result); });
  const std::string value = target->format(target->value(result));
  if (question.targets.size() == 1) return value;
  return fmt::format("{} {}", target->text.substr(0, target->text.find_first_of("<> ")), value);
}

std::string cell_text(const PlanQuestion& question, const PlanStep& step) {
  return (step.met ? "yes " : "NO ") + worst(question, step.result);
}

// What the widest cell of a growth's column takes.
std::size_t cell_width(const PlanReport& report, std::size_t step) {
  std::size_t width = 12;
  for (const CandidateAnswer& answer : report.answer.candidates) {
    width = std::max(width, cell_text(report.question, answer.steps[step]).size());
  }
  return width;
}

std::string headroom_text(const CandidateAnswer& answer) {
  if (answer.headroom == 0) return "none";
  return fmt::format("{}{:.2f}x", answer.headroom_is_more ? "over " : "", answer.headroom);
}

std::string months_text(const PlanReport& report, const CandidateAnswer& answer) {
  const std::optional<double> time = months(report, answer);
  if (!time) return "-";
  return fmt::format("{}{:.0f}", answer.headroom_is_more ? "over " : "", *time);
}

std::string limit_text(const ArrayConfig& config, const CandidateAnswer& answer) {
  if (answer.headroom_is_more) return "-";
  if (answer.limit.empty()) return "no single part";
  if (answer.limit_cured) return answer.limit;
  if (answer.limit == "cache" && config.cache.bytes == 0) {
    return fmt::format("cache ({} is not enough)", format_bytes(kFirstCacheBytes));
  }
  return answer.limit + " (twice is not enough)";
}

std::string choice_text(const PlanReport& report) {
  const PlanQuestion& question = report.question;
  if (!report.answer.choice) return "No configuration meets all targets at every growth.\n";
  const ArrayConfig& best = question.candidates[*report.answer.choice];
  const std::optional<double> cost = cost_of(best);
  return fmt::format("{} with {} of cache and {} disks meets them all{}.\n", best.name,
                     format_bytes(best.cache.bytes), best.disks.count,
                     cost ? fmt::format(" at the least cost, {:.0f}", *cost)
                          : " (the first of those that do: no costs are given)");
}

Json target_json(const PlanTarget& target, const LoadResult& result) {
  const double value = target.value(result);
  return {{"target", target.text}, {"value", value}, {"met", target.is_met_by(result)}};
}

Json step_json(const PlanQuestion& question, const PlanStep& step) {
  Json json{{"growth", step.growth},
            {"met", step.met},
            {"overloaded", step.result.overloaded},
            {"iops", step.result.iops},
            {"bytes_per_second", step.result.bytes_per_second},
            {"hit_ratio", step.result.hit_ratio},
            {"outstanding", step.result.outstanding},
            {"latency_ns", latency_json(step.result.latency)}};
  json["targets"] = Json::array();
  for (const PlanTarget& target : question.targets) {
    json["targets"].push_back(target_json(target, step.result));
  }
  json["parts"] = Json::array();
  for (const PartUse& part : step.result.parts) {
    json["parts"].push_back(
        {{"name", part.part}, {"utilisation", part.utilisation}, {"busiest", part.busiest}});
  }
  return json;
}

Json candidate_json(const PlanReport& report, std::size_t index) {
  const ArrayConfig& config = report.question.candidates[index];
  const CandidateAnswer& answer = report.answer.candidates[index];
  Json json{
      {"array", config.name}, {"cache_bytes", config.cache.bytes}, {"disks", config.disks.count}};
  if (const std::optional<double> cost = cost_of(config)) json["cost"] = *cost;
  json["steps"] = Json::array();
  for (const PlanStep& step : answer.steps) {
    json["steps"].push_back(step_json(report.question, step));
  }
  json["headroom"] = answer.headroom;
  json["headroom_is_more"] = answer.headroom_is_more;
  if (const std::optional<double> time = months(report, answer)) json["headroom_months"] = *time;
  json["limit"] = answer.limit.empty() ? Json(nullptr) : Json(answer.limit);
  if (!answer.limit.empty()) json["limit_cured_by_twice"] = answer.limit_cured;
  return json;
}

}  // namespace

std::string plan_text(const PlanReport& report) {
  const PlanQuestion& question = report.question;
  std::string text = "targets ";
  for (const PlanTarget& target : question.targets) text += "  " + target.text;
  text += fmt::format("\ngrowth    {}\n\n", question.growth == Growth::kRate
                                                ? "of the rate: the same data more often"
                                                : "of data and rate alike");
  text += fmt::format("{:<20.20} {:>9} {:>6} {:>10}", "array", "cache", "disks", "cost");
  for (std::size_t step = 0; step < question.growths.size(); ++step) {
    text += fmt::format(" {:>{}}", fmt::format("{:g}x", question.growths[step]),
                        cell_width(report, step));
  }
  text += fmt::format(" {:>10} {:>8}  {}\n", "headroom", "months", "short of");
  for (std::size_t i = 0; i < question.candidates.size(); ++i) {
    const ArrayConfig& config = question.candidates[i];
    const CandidateAnswer& answer = report.answer.candidates[i];
    const std::optional<double> cost = cost_of(config);
    text +=
        fmt::format("{:<20.20} {:>9} {:>6} {:>10}", config.name, format_bytes(config.cache.bytes),
                    config.disks.count, cost ? fmt::format("{:.0f}", *cost) : "-");
    for (std::size_t step = 0; step < answer.steps.size(); ++step) {
      text +=
          fmt::format(" {:>{}}", cell_text(question, answer.steps[step]), cell_width(report, step));
    }
    text += fmt::format(" {:>10} {:>8}  {}\n", headroom_text(answer), months_text(report, answer),
                        limit_text(config, answer));
  }
  for (const LeftOut& one : report.left_out) {
    text += fmt::format("left out: {} with {} of cache and {} disks: {}\n", one.array,
                        format_bytes(one.cache_bytes), one.disks, one.why);
  }
  return text + "\n" + choice_text(report);
}

std::string plan_json(const PlanReport& report) {
  Json json{{"schema", 1}, {"traces", report.traces}};
  json["growth_of"] = report.question.growth == Growth::kRate ? "rate" : "data";
  if (report.growth_a_year) json["growth_a_year"] = *report.growth_a_year;
  json["targets"] = Json::array();
  for (const PlanTarget& target : report.question.targets) json["targets"].push_back(target.text);
  json["candidates"] = Json::array();
  for (std::size_t i = 0; i < report.question.candidates.size(); ++i) {
    json["candidates"].push_back(candidate_json(report, i));
  }
  json["left_out"] = Json::array();
  for (const LeftOut& one : report.left_out) {
    json["left_out"].push_back({{"array", one.array},
                                {"cache_bytes", one.cache_bytes},
                                {"disks", one.disks},
                                {"why", one.why}});
  }
  json["choice"] = report.answer.choice ? Json(*report.answer.choice) : Json(nullptr);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rigel
