#include "model/compare/fio_result.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace rigel {
namespace {

using nlohmann::json;

struct FioPercentile {
  const char* name;
  const char* key;
  double share;
};
constexpr std::array kPercentiles{
    FioPercentile{"p50", "50.000000", 0.5}, FioPercentile{"p90", "90.000000", 0.9},
    FioPercentile{"p99", "99.000000", 0.99}, FioPercentile{"p999", "99.900000", 0.999},
    FioPercentile{"p9999", "99.990000", 0.9999}};

// A job's reads, writes or trims.
struct Direction {
  double ios = 0;
  json clat_ns;
};

}  // namespace

std::optional<MeasuredResult> result_of_fio(const json& object, const std::string& name) {
  if (!object.contains("fio version") || !object.contains("jobs")) return std::nullopt;
  MeasuredLoad load;
  std::vector<Direction> used;
  LatencyTable latency{"service_time_ns", 0, {}};
  for (const json& job : object.at("jobs")) {
    for (const char* direction : {"read", "write", "trim"}) {
      if (!job.contains(direction)) continue;
      const json& part = job.at(direction);
      const auto ios = part.value("total_ios", 0.0);
      if (ios == 0) continue;
      load.count += ios;
      load.point.iops += part.at("iops").get<double>();
      load.point.bytes_per_second += part.at("bw_bytes").get<double>();
      used.push_back({ios, part.value("clat_ns", json::object())});
      latency.mean_ns += used.back().clat_ns.value("mean", 0.0) * ios;
    }
  }
  load.stood_still = load.count == 0;
  if (load.count > 0) latency.mean_ns /= load.count;
  load.point.latency_ns = latency.mean_ns;
  load.point.outstanding = load.point.iops * load.point.latency_ns * 1e-9;
  if (used.size() == 1 && used.front().clat_ns.contains("percentile")) {
    const json& percentiles = used.front().clat_ns["percentile"];
    for (const FioPercentile& one : kPercentiles) {
      if (percentiles.contains(one.key)) {
        latency.entries.push_back({one.name, one.share, percentiles[one.key].get<double>()});
      }
    }
  }
  if (latency.mean_ns > 0) load.latencies.push_back(std::move(latency));
  return MeasuredResult{name, true, {std::move(load)}, std::nullopt, std::nullopt};
}

}  // namespace rigel
