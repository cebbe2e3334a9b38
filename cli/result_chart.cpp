#include "cli/result_chart.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/trace_copy.hpp"
#include "traces/byte_sink.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

Chart load_over_time(const Json& info) {
  Chart chart{"load", {"time", AxisUnit::kSeconds}, {"IOPS"}, {{"IOPS", {}}}};
  const auto timeline = info.find("timeline");
  if (timeline == info.end()) return chart;
  const double interval_s = number(*timeline, "interval_ns") / 1e9;
  double at = 0;
  for (const Json& iops : timeline->at("iops")) {
    chart.series[0].points.push_back({at, iops.is_number() ? iops.get<double>() : NAN});
    at += interval_s;
  }
  return chart;
}

Chart hits_over_size(const Json& model) {
  Chart chart{"hits",
              {"size of the cache", AxisUnit::kBytes, true},
              {"hit ratio by page", AxisUnit::kPercent},
              {{"lru", {}}}};
  for (const Json& point : model.at("curve")) {
    const double ratio = 100 * number(point, "hit_ratio");
    const bool sampled = point.contains("low");
    chart.series[0].has_interval |= sampled;
    chart.series[0].points.push_back({number(point, "cache_bytes"), ratio,
                                      sampled ? 100 * number(point, "low") : ratio,
                                      sampled ? 100 * number(point, "high") : ratio});
  }
  for (const Json& result : model.at("results")) {
    const std::string policy = result.at("policy");
    const std::string name = policy == "lru" ? "lru, as asked" : policy;
    if (chart.series.back().name != name) chart.series.push_back({name, {}});
    chart.series.back().points.push_back(
        {number(result, "cache_bytes"), 100 * number(result, "hit_ratio")});
  }
  return chart;
}

Chart latency_over_throughput(const Json& curve) {
  Chart chart{"response time", {"IOPS"}, {"mean", AxisUnit::kNanoseconds, true}, {{"mean", {}}}};
  for (const Json& point : curve.at("points")) {
    chart.series[0].points.push_back({number(point, "iops"), number(point, "latency_ns")});
  }
  return chart;
}

Chart implied_hits(const Json& explanation) {
  Chart chart{"hits",
              {"outstanding I/Os"},
              {"hit ratio", AxisUnit::kPercent},
              {{"implied", {}}, {"expected", {}}}};
  for (const Json& point : explanation.at("points")) {
    const double load = number(point, "outstanding");
    chart.series[0].points.push_back({load, 100 * number(point, "hit_ratio_implied")});
    chart.series[1].points.push_back({load, 100 * number(point, "hit_ratio_expected")});
  }
  return chart;
}

void add_percentiles(const Json& distribution, ChartSeries& series) {
  static constexpr std::array<const char*, 6> kKeys{"p50", "p90", "p99", "p999", "p9999", "max"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    series.points.push_back({static_cast<double>(i), number(distribution, kKeys[i])});
  }
}

Chart replay_percentiles(const Json& replay) {
  Chart chart{"replay",
              {"percentile", AxisUnit::kNines},
              {"time", AxisUnit::kNanoseconds, true},
              {{"service time", {}}, {"slip", {}}}};
  if (replay.at("service_time_ns").is_object()) {
    add_percentiles(replay.at("service_time_ns"), chart.series[0]);
  }
  const Json& fidelity = replay.at("fidelity");
  if (fidelity.is_object() && fidelity.contains("slip_ns") && fidelity["slip_ns"].is_object()) {
    add_percentiles(fidelity["slip_ns"], chart.series[1]);
  }
  return chart;
}

// The first whose key a result has.
struct Kind {
  const char* key;
  Chart (*make)(const Json&);
};
constexpr std::array kKinds{Kind{"curve", hits_over_size}, Kind{"fidelity", replay_percentiles},
                            Kind{"records", load_over_time}};

bool is_utf8_terminal() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text{value};
    return text.find("UTF-8") != text.npos || text.find("utf8") != text.npos;
  }
  return false;
}

}  // namespace

std::optional<Chart> chart_of(const Json& result) {
  const auto points = result.find("points");
  if (points != result.end() && points->is_array() && !points->empty()) {
    return points->front().contains("hit_ratio_implied") ? implied_hits(result)
                                                         : latency_over_throughput(result);
  }
  for (const Kind& kind : kKinds) {
    if (result.contains(kind.key)) return kind.make(result);
  }
  return std::nullopt;
}

void ResultChart::add_options(CommandOptions& options) {
  options.add()("plot", po::bool_switch(&plot_), "draw the chart that says most, after the text")(
      "svg", po::value<std::string>(&svg_path_), "write that chart to this file");
}

void ResultChart::set(const po::variables_map& values, const std::vector<std::string>& inputs) {
  const auto json = values.find("json");
  const bool is_json = json != values.end() && !json->second.empty() &&
                       (json->second.value().type() != typeid(bool) || json->second.as<bool>());
  if (plot_ && is_json) throw UsageError{"--plot and --json exclude each other"};
  refuse_to_overwrite(inputs, svg_path_);
}

void ResultChart::show(const Json& result) const {
  if (!wanted()) return;
  const std::optional<Chart> chart = chart_of(result);
  if (!chart) throw Error{"there is nothing to draw in this result"};
  if (plot_) std::fputs(("\n" + terminal_chart(*chart, is_utf8_terminal())).c_str(), stdout);
  if (svg_path_.empty()) return;
  const std::string text = svg_chart(*chart);
  const std::unique_ptr<ByteSink> file = create_file(svg_path_);
  file->write(std::as_bytes(std::span{text}));
  file->close();
}

}  // namespace rigel
