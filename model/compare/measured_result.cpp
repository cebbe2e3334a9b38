#include "model/compare/measured_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/orion_results.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

using nlohmann::json;

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr double kLastShare = 1 - 1e-12;  // whose logarithms are still finite

struct Percentile {
  const char* name;
  double share;
};
constexpr std::array kPercentiles{Percentile{"p50", 0.5}, Percentile{"p90", 0.9},
                                  Percentile{"p99", 0.99}, Percentile{"p999", 0.999},
                                  Percentile{"p9999", 0.9999}};

// Every member that has percentiles.
std::vector<LatencyTable> latency_tables(const json& object) {
  std::vector<LatencyTable> tables;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_object() || !value.contains("p50")) continue;
    LatencyTable table{name, value.value("mean", 0.0), {}};
    for (const Percentile& percentile : kPercentiles) {
      if (!value.contains(percentile.name)) continue;
      const auto ns = value.at(percentile.name).get<double>();
      if (!(ns >= 0) || (!table.entries.empty() && ns < table.entries.back().ns)) {
        throw Error{
            fmt::format("{}.{} falls below the percentile before it", name, percentile.name)};
      }
      table.entries.push_back({percentile.name, percentile.share, ns});
    }
    if (!table.entries.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

MeasuredResult result_of(const json& object, std::string_view text, const std::string& name) {
  MeasuredResult result{name, object.contains("service_time_ns"), {}};
  if (result.one_run) {
    json alone = object;
    alone.erase("points");  // of a ramp: steps of the one run
    MeasuredLoad load{parse_load_curve_json(alone.dump(), name).points.front(),
                      object.value("issued", 0.0), latency_tables(alone)};
    result.loads.push_back(std::move(load));
    return result;
  }
  LoadCurve curve = parse_load_curve_json(text, name);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    complete_by_littles_law(curve.points[i]);
    const LoadPoint& point = curve.points[i];
    result.loads.push_back(
        {point, point.iops * point.duration_ns * 1e-9, latency_tables(object.at("points")[i])});
  }
  return result;
}

bool looks_like_csv_curve(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  return first.find("outstanding") != std::string_view::npos &&
         (first.find("iops") != std::string_view::npos ||
          first.find("latency_ns") != std::string_view::npos);
}

bool looks_like_orion(std::string_view head, const std::string& name) {
  try {
    return !parse_orion_results(head.substr(0, head.rfind('\n')), name).empty();
  } catch (const Error&) {
    return false;
  }
}

double log_tail(double share) {
  return std::log(-std::log1p(-std::min(share, kLastShare)));
}

double log_ns(double ns) {
  return std::log(std::max(ns, 1.0));
}

}  // namespace

std::optional<MeasuredResult> parse_result_json(std::string_view text, const std::string& name) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  if (!object.contains("points") && !object.contains("service_time_ns")) return std::nullopt;
  try {
    return result_of(object, text, name);
  } catch (const json::exception& error) {
    throw Error{
        fmt::format("{}: a result whose members are not as expected: {}", name, error.what())};
  }
}

std::optional<MeasuredResult> read_result(const std::string& path) {
  if (path == "-") return std::nullopt;
  std::string head(kHeadBytes, '\0');
  head.resize(open_file(path)->read(std::as_writable_bytes(std::span{head})));
  if (head.find('\0') != std::string::npos) return std::nullopt;
  const std::string_view content = trimmed(head);
  if (content.starts_with('{')) {
    const auto source = open_file(path);
    return parse_result_json(read_text(*source), path);
  }
  if (!looks_like_csv_curve(content) && !looks_like_orion(content, path)) return std::nullopt;
  MeasuredResult result{path, false, {}};
  for (LoadPoint& point : read_load_curve({path}).points) {
    result.loads.push_back({point, point.iops * point.duration_ns * 1e-9, {}});
  }
  return result;
}

MeasuredResult result_of_trace(const WorkloadProfile& profile, const std::string& name) {
  MeasuredLoad load;
  load.count = static_cast<double>(profile.records);
  if (profile.duration_ns > 0) {
    const double seconds = static_cast<double>(profile.duration_ns) * 1e-9;
    const BlockedSamples& reads = profile.of(Figure::kReadBytes);
    const BlockedSamples& writes = profile.of(Figure::kWriteBytes);
    load.point.iops = load.count / seconds;
    load.point.bytes_per_second =
        (reads.mean() * reads.count() + writes.mean() * writes.count()) / seconds;
  }
  const BlockedSamples& reads = profile.of(Figure::kReadLatency);
  const BlockedSamples& writes = profile.of(Figure::kWriteLatency);
  const double count = reads.count() + writes.count();
  if (count > 0) {
    std::vector<double> histogram = reads.histogram();
    const std::vector<double> of_writes = writes.histogram();
    histogram.resize(std::max(histogram.size(), of_writes.size()));
    for (std::size_t i = 0; i < of_writes.size(); ++i) histogram[i] += of_writes[i];
    LatencyTable table{"response_time_ns",
                       (reads.mean() * reads.count() + writes.mean() * writes.count()) / count,
                       {}};
    double below = 0;
    std::size_t bin = 0;
    for (const Percentile& percentile : kPercentiles) {
      while (bin < histogram.size() && below + histogram[bin] < percentile.share * count) {
        below += histogram[bin++];
      }
      table.entries.push_back(
          {percentile.name, percentile.share, static_cast<double>(log_bins::low_of(bin))});
    }
    load.latencies.push_back(std::move(table));
  }
  return {name, true, {std::move(load)}};
}

double latency_at(const LatencyTable& table, double share) {
  const auto after = std::find_if(table.entries.begin(), table.entries.end(),
                                  [&](const auto& entry) { return entry.share >= share; });
  if (after == table.entries.end()) return table.entries.back().ns;
  if (after == table.entries.begin()) return after->ns;
  const auto before = after - 1;
  const double part = (log_tail(share) - log_tail(before->share)) /
                      (log_tail(after->share) - log_tail(before->share));
  return std::exp(log_ns(before->ns) + part * (log_ns(after->ns) - log_ns(before->ns)));
}

double share_at_or_below(const LatencyTable& table, double ns) {
  const auto after = std::find_if(table.entries.begin(), table.entries.end(),
                                  [&](const auto& entry) { return entry.ns > ns; });
  if (after == table.entries.end()) return table.entries.back().share;
  if (after == table.entries.begin()) return after->share;
  const auto before = after - 1;
  const double part = (log_ns(ns) - log_ns(before->ns)) / (log_ns(after->ns) - log_ns(before->ns));
  const double from = log_tail(before->share);
  return 1 - std::exp(-std::exp(from + part * (log_tail(after->share) - from)));
}

}  // namespace rigel
