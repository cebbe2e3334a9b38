// The part of `rigel compare` that sets predictions beside a measurement.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/compare_output.hpp"
#include "model/compare/difference_words.hpp"
#include "traces/printable.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

Json prediction_json(const PredictionCheck& check) {
  const HitMissFit& implied = check.implied;
  Json json{{"two_populations", implied.two_populations}};
  if (check.border_ns) json["border_ns"] = *check.border_ns;
  if (!check.cannot_tell.empty()) json["cannot_tell"] = check.cannot_tell;
  if (!implied.two_populations) return json;
  json["hit_ratio_implied"] = implied.hit_ratio;
  json["low"] = implied.low;
  json["high"] = implied.high;
  if (!check.border_ns) {
    json["hit_ns"] = implied.hit_ns;
    json["miss_ns"] = implied.miss_ns;
    json["misses"] = implied.model.miss_shape == MissShape::kGamma ? "gamma" : "lognormal";
  }
  json["predictions"] = Json::array();
  for (const PredictionCheck::Line& line : check.lines) {
    json["predictions"].push_back({{"policy", line.predicted.policy},
                                   {"cache_bytes", line.predicted.cache_bytes},
                                   {"hit_ratio", line.predicted.hit_ratio},
                                   {"agrees", line.agrees},
                                   {"windows_agreeing", line.windows_agreeing}});
  }
  json["windows"] = Json::array();
  for (const PredictionWindow& window : check.windows) {
    json["windows"].push_back({{"from_ns", window.from_ns},
                               {"reads", window.reads},
                               {"hit_ratio_implied", window.hit_ratio},
                               {"low", std::max(0.0, window.hit_ratio - window.noise)},
                               {"high", std::min(1.0, window.hit_ratio + window.noise)}});
  }
  return json;
}

// Every so many windows as one line.
std::string windows_text(const PredictionCheck& check) {
  constexpr std::size_t kMostLines = 8;
  if (check.windows.empty()) return {};
  const std::size_t step = (check.windows.size() + kMostLines - 1) / kMostLines;
  std::string text = fmt::format("\n{:>12} {:>10} {:>10}\n", "from", "reads", "hits");
  for (std::size_t i = 0; i < check.windows.size(); i += step) {
    double reads = 0;
    double hits = 0;
    for (std::size_t k = i; k < std::min(i + step, check.windows.size()); ++k) {
      reads += check.windows[k].reads;
      hits += check.windows[k].reads * check.windows[k].hit_ratio;
    }
    text += fmt::format("{:>12} {:>10.0f} {:>10}\n", format_duration(check.windows[i].from_ns),
                        reads, format_percent(hits / reads));
  }
  return text;
}

std::string prediction_text(const PredictionCheck& check) {
  const HitMissFit& implied = check.implied;
  if (!implied.two_populations) {
    return fmt::format("\nno hit ratio is implied: {}\n", check.cannot_tell);
  }
  std::string text = fmt::format("\nhit ratio implied by read latencies: {} ({} - {})",
                                 format_percent(implied.hit_ratio), format_percent(implied.low),
                                 format_percent(implied.high));
  if (check.border_ns) {
    text += fmt::format(", hits taken to be below {}\n",
                        format_duration(static_cast<std::int64_t>(*check.border_ns)));
  } else {
    text += fmt::format(", hits at {}, misses at {} on average\n",
                        figure_text(FigureUnit::kNanoseconds, implied.hit_ns),
                        figure_text(FigureUnit::kNanoseconds, implied.miss_ns));
  }
  for (const PredictionCheck::Line& line : check.lines) {
    text +=
        fmt::format("predicted for {} of {}: {}: {}", printable(line.predicted.policy),
                    format_bytes(line.predicted.cache_bytes),
                    format_percent(line.predicted.hit_ratio), line.agrees ? "agrees" : "DIFFERENT");
    if (!check.windows.empty()) {
      text += fmt::format(", in {} of {} windows", line.windows_agreeing, check.windows.size());
    }
    text += "\n";
  }
  if (!check.cannot_tell.empty()) text += check.cannot_tell + "\n";
  return text + windows_text(check);
}

}  // namespace

void add_prediction(const PredictionCheck& check, CompareOutcome& outcome) {
  for (const PredictionCheck::Line& line : check.lines) {
    const double distance = std::abs(line.predicted.hit_ratio - check.implied.hit_ratio);
    const std::string key =
        fmt::format("hit_ratio.{}@{}", line.predicted.policy, line.predicted.cache_bytes);
    outcome.distances.emplace_back(key, distance);
    outcome.same = outcome.same && line.agrees;
    outcome.json["differences"].push_back({{"key", key},
                                           {"a", line.predicted.hit_ratio},
                                           {"b", check.implied.hit_ratio},
                                           {"unit", "share"},
                                           {"distance", distance},
                                           {"significant", !line.agrees},
                                           {"verdict", line.agrees ? "agrees" : "DIFFERENT"}});
  }
  if (!check.cannot_tell.empty()) outcome.unanswered.push_back(check.cannot_tell);
  outcome.json["same"] = outcome.same_json();
  outcome.json["prediction"] = prediction_json(check);
  outcome.text += prediction_text(check);
}

}  // namespace rigel
