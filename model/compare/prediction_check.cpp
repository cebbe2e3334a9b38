#include "model/compare/prediction_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "traces/error.hpp"
#include "traces/result_json.hpp"

namespace rigel {
namespace {

using nlohmann::json;

constexpr double kCloseEnough = 0.01;
constexpr double kCloseEnoughInWindow = 0.05;
constexpr double kWidestThatTells = 0.5;  // interval of a hit ratio

std::optional<double> ratio_in(const json& result, const char* key) {
  const auto found = result.find(key);
  if (found == result.end() || found->is_null()) return std::nullopt;
  const auto ratio = found->get<double>();
  if (!(ratio >= 0 && ratio <= 1)) throw Error{fmt::format("{} {} is no ratio", key, ratio)};
  return ratio;
}

std::optional<PredictedHits> prediction_of(const json& result) {
  PredictedHits predicted;
  predicted.policy = result.at("policy").get<std::string>();
  predicted.cache_bytes = result.at("cache_bytes").get<std::uint64_t>();
  std::optional<double> ratio = ratio_in(result, "read_request_hit_ratio");
  if (!ratio) ratio = ratio_in(result, "read_hit_ratio");
  if (!ratio) return std::nullopt;
  predicted.hit_ratio = predicted.low = predicted.high = *ratio;
  // The model's interval is that of all accesses: taken as wide for the reads.
  const std::optional<double> all = ratio_in(result, "hit_ratio");
  const std::optional<double> low = ratio_in(result, "low");
  const std::optional<double> high = ratio_in(result, "high");
  if (all && low) predicted.low = std::max(0.0, *ratio - std::max(0.0, *all - *low));
  if (all && high) predicted.high = std::min(1.0, *ratio + std::max(0.0, *high - *all));
  return predicted;
}

std::string why_nothing_is_told(const HitMissFit& implied) {
  if (implied.more_populations) {
    return "read latencies are more than hits and misses: other populations are among them, or "
           "most "
           "hits are delayed";
  }
  if (!implied.two_populations) {
    return "read latencies are one population: all hits, all misses, or not told apart by their "
           "times";
  }
  if (implied.high - implied.low > kWidestThatTells) return "too few reads tell hits from misses";
  return {};
}

void add_lines(const std::vector<PredictedHits>& predictions, PredictionCheck& check) {
  const HitMissFit& implied = check.implied;
  check.cannot_tell = why_nothing_is_told(implied);
  if (!check.cannot_tell.empty()) return;
  for (const PredictedHits& predicted : predictions) {
    PredictionCheck::Line line{predicted, false, 0};
    line.agrees = (predicted.low <= implied.high && predicted.high >= implied.low) ||
                  std::abs(predicted.hit_ratio - implied.hit_ratio) <= kCloseEnough;
    line.windows_agreeing = static_cast<std::size_t>(
        std::count_if(check.windows.begin(), check.windows.end(),
                      [&](const auto& window) { return agrees_in(window, predicted); }));
    check.lines.push_back(std::move(line));
  }
}

// All of the result's I/Os where it does not tell reads from writes.
std::vector<PercentileGroup> reads_of(const MeasuredResult& measured) {
  const MeasuredLoad& load = measured.loads.front();
  std::vector<PercentileGroup> reads;
  if (load.reads) {
    if (load.reads->empty()) throw Error{measured.name + ": no latency of a read in it"};
    reads = *load.reads;
  } else if (!load.latencies.empty()) {
    const auto service =
        std::find_if(load.latencies.begin(), load.latencies.end(),
                     [](const auto& table) { return table.name == "service_time_ns"; });
    reads = {{load.count, service != load.latencies.end() ? *service : load.latencies.front()}};
  }
  const bool known = std::none_of(reads.begin(), reads.end(), [](const PercentileGroup& group) {
    return group.latency.entries.empty();
  });
  if (reads.empty() || !known) throw Error{measured.name + ": no percentiles of latency in it"};
  return reads;
}

}  // namespace

std::vector<PredictedHits> parse_predictions(std::string_view text, const std::string& name) {
  const json model = parse_rigel_json(text, name);
  std::vector<PredictedHits> predictions;
  try {
    for (const json& result : model.at("results")) {
      if (auto predicted = prediction_of(result)) predictions.push_back(std::move(*predicted));
    }
  } catch (const std::exception& error) {
    throw Error{fmt::format("{}: not what 'rigel model --json' prints: {}", name, error.what())};
  }
  if (predictions.empty()) throw Error{name + ": no hit ratio of reads in it"};
  return predictions;
}

PredictedFrom parse_predicted_from(std::string_view text, const std::string& name) {
  const json model = parse_rigel_json(text, name);
  try {
    // A model of no trace has lost nothing.
    return {model.value("requests", std::uint64_t{0}) +
                model.value("warm_up_requests", std::uint64_t{0}),
            model.value("lost", std::uint64_t{0}), model.value("lost_at_least", false)};
  } catch (const json::exception& error) {
    throw Error{fmt::format("{}: not what 'rigel model --json' prints: {}", name, error.what())};
  }
}

bool agrees_in(const PredictionWindow& window, const PredictedHits& predicted) {
  return std::abs(window.hit_ratio - predicted.hit_ratio) <=
         std::max(window.noise, kCloseEnoughInWindow);
}

PredictionCheck check_predictions(const std::vector<PredictedHits>& predictions,
                                  const WorkloadProfile& measured,
                                  std::optional<std::uint64_t> border_ns) {
  const BlockedSamples& latencies = measured.of(Figure::kReadLatency);
  PredictionCheck check;
  check.border_ns = border_ns;
  check.implied = border_ns ? hits_below(latencies, *border_ns) : fit_hits_and_misses(latencies);
  for (std::size_t i = 0; i < check.implied.by_block.size(); ++i) {
    if (!check.implied.by_block[i]) continue;
    const std::vector<double>& block = latencies.blocks()[i];
    const double reads = std::accumulate(block.begin(), block.end(), 0.0);
    const double ratio = *check.implied.by_block[i];
    check.windows.push_back(
        {measured.starts_ns[i] - measured.first_ns, reads, ratio, noise_of_share(ratio, reads)});
  }
  add_lines(predictions, check);
  return check;
}

PredictionCheck check_predictions(const std::vector<PredictedHits>& predictions,
                                  const MeasuredResult& measured, std::uint64_t border_ns) {
  if (measured.loads.size() != 1) {
    throw Error{fmt::format("{}: {} loads in it: one of them is wanted beside a prediction",
                            measured.name, measured.loads.size())};
  }
  double count = 0;
  ShareBelow hits{0, 0, 0};
  for (const PercentileGroup& reads : reads_of(measured)) {
    const ShareBelow share = share_below(reads.latency, static_cast<double>(border_ns));
    // A count that is not known is that of the only group.
    const double weight = std::max(reads.count, 1.0);
    count += weight;
    hits.least += weight * share.least;
    hits.likely += weight * share.likely;
    hits.most += weight * share.most;
  }
  const double least = hits.least / count;
  const double most = hits.most / count;
  PredictionCheck check;
  check.border_ns = border_ns;
  HitMissFit& implied = check.implied;
  implied.two_populations = true;
  implied.hit_ratio = hits.likely / count;
  implied.low = std::max(0.0, least - noise_of_share(least, count));
  implied.high = std::min(1.0, most + noise_of_share(most, count));
  if (implied.high - implied.low > kWidestThatTells) {
    check.cannot_tell = "hits may be anything between the percentiles that enclose --hit-below";
    return check;
  }
  add_lines(predictions, check);
  return check;
}

}  // namespace rigel
