#include "cli/orion_extras.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/latency_json.hpp"
#include "model/array/load_growth.hpp"
#include "traces/load_curve.hpp"

namespace rigel {
namespace {

constexpr std::array kQuantiles{0.5, 0.9, 0.99, 0.999, 0.9999};

struct Kind {
  std::string_view name;
  OrionMeasurement OrionMeasuredPoint::*measured;
};
constexpr std::array kKinds{Kind{"small", &OrionMeasuredPoint::small},
                            Kind{"large", &OrionMeasuredPoint::large}};

LatencyHistogram both(const OrionMeasurement& measured) {
  LatencyHistogram all = measured.reads;
  all.merge(measured.writes);
  return all;
}

LoadPoint load_point(const OrionMeasuredPoint& point, double expected_hit_ratio) {
  const OrionMeasurement& main = point.small.ios() > 0 ? point.small : point.large;
  LoadPoint load;
  load.outstanding = point.small_outstanding;
  load.outstanding_large = point.large_outstanding;
  load.iops = main.iops();
  load.bytes_per_second = (point.small.mbps() + point.large.mbps()) * 1024 * 1024;
  load.latency_ns = main.mean_latency_ns();
  load.request_bytes = static_cast<double>(main.request_bytes);
  load.duration_ns = main.seconds * 1e9;
  load.write_fraction = static_cast<double>(main.writes.count()) / static_cast<double>(main.ios());
  if (expected_hit_ratio >= 0) load.hit_ratio = expected_hit_ratio;
  return load;
}

}  // namespace

HitOutlook::HitOutlook(std::uint64_t span_blocks, std::uint64_t cache_blocks)
    : pattern_{RandomPattern{span_blocks}}, cache_blocks_{cache_blocks} {}

double HitOutlook::expect(std::uint64_t reads) {
  if (!pattern_ || reads == 0) return -1;
  const auto hits_of_first = [&](double count) {
    return count == 0 ? 0 : count * pattern_->hit_ratio_of_first(count, cache_blocks_);
  };
  const double before = hits_of_first(reads_);
  reads_ += static_cast<double>(reads);
  return (hits_of_first(reads_) - before) / static_cast<double>(reads);
}

std::string orion_percentiles_csv(const OrionReport& report,
                                  const std::vector<OrionExtra>& extras) {
  std::string text =
      "small,large,of,ios,iops,mbps,mean_us,min_us,p50_us,p90_us,p99_us,p99.9_us,p99.99_us,max_us,"
      "expected_hit_ratio\n";
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const OrionMeasuredPoint& point = report.points[i];
    for (const Kind& kind : kKinds) {
      const OrionMeasurement& measured = point.*kind.measured;
      if (measured.ios() == 0) continue;
      const LatencyHistogram latency = both(measured);
      const auto us = [](auto ns) { return fmt::format(",{:.1f}", static_cast<double>(ns) / 1e3); };
      text +=
          fmt::format("{},{},{},{},{:.1f},{:.2f}", point.small_outstanding, point.large_outstanding,
                      kind.name, measured.ios(), measured.iops(), measured.mbps());
      text += us(latency.mean_ns()) + us(latency.min_ns());
      for (const double quantile : kQuantiles) text += us(latency.quantile_ns(quantile));
      text += us(latency.max_ns());
      const bool known = kind.name == "small" && extras[i].expected_hit_ratio >= 0;
      text += known ? fmt::format(",{:.4f}\n", extras[i].expected_hit_ratio) : ",\n";
    }
  }
  return text;
}

std::string orion_series_csv(const OrionReport& report, const std::vector<OrionExtra>& extras) {
  std::string text = "small,large,second,iops,mbps,mean_us,max_us\n";
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    for (std::size_t second = 0; second < extras[i].seconds.size(); ++second) {
      const OrionSecond& of = extras[i].seconds[second];
      text += fmt::format(
          "{},{},{},{},{:.2f},{:.1f},{:.1f}\n", report.points[i].small_outstanding,
          report.points[i].large_outstanding, second, of.ios,
          static_cast<double>(of.bytes) / 1048576,
          of.ios == 0 ? 0.0
                      : static_cast<double>(of.latency_sum_ns) / 1e3 / static_cast<double>(of.ios),
          static_cast<double>(of.latency_max_ns) / 1e3);
    }
  }
  return text;
}

nlohmann::ordered_json orion_json(const OrionReport& report, const std::vector<OrionExtra>& extras,
                                  std::uint64_t seed) {
  nlohmann::ordered_json result;
  result["schema"] = 1;
  result["command_line"] = report.command_line;
  result["seed"] = seed;
  result["points"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const OrionMeasuredPoint& point = report.points[i];
    nlohmann::ordered_json entry = to_json(load_point(point, extras[i].expected_hit_ratio));
    for (const Kind& kind : kKinds) {
      const OrionMeasurement& measured = point.*kind.measured;
      if (measured.ios() == 0) continue;
      entry[fmt::format("{}_service_time_ns", kind.name)] = latency_json(both(measured));
    }
    result["points"].push_back(std::move(entry));
  }
  result["doubts"] = doubts_about_points(report);
  return result;
}

std::vector<std::string> doubts_about_points(const OrionReport& report) {
  constexpr double kNoise = 0.1;
  std::vector<std::string> doubts;
  std::optional<LoadPoint> before;
  for (const OrionMeasuredPoint& point : report.points) {
    if (point.small.ios() == 0) continue;
    const LoadPoint here = load_point(point, -1);
    if (before && before->outstanding_large == here.outstanding_large) {
      const LoadGrowth growth = growth_between(*before, here);
      if (growth.is_faster_than_load(kNoise)) {
        doubts.push_back(fmt::format(
            "Small={} to {}: the load grew by {:.0f} %, IOPS by {:.0f} %. No number of disks does "
            "that; see what 'rigel explain' makes of it",
            before->outstanding, here.outstanding, 100 * (growth.load - 1),
            100 * (growth.throughput - 1)));
      }
    }
    before = here;
  }
  return doubts;
}

}  // namespace rigel
