#include "model/compare/fio_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "traces/error.hpp"

namespace rigel {
namespace {

using nlohmann::json;

// All percentiles, of whatever list the job asked for (percentile_list); their keys are numbers.
std::vector<PercentileTable::Entry> entries_of(const json& clat_ns) {
  std::vector<PercentileTable::Entry> entries;
  const json percentiles = clat_ns.value("percentile", json::object());
  for (const auto& [key, value] : percentiles.items()) {
    double percent = 0;
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), percent);
    if (parsed.ec != std::errc{} || !(percent > 0 && percent < 100)) continue;
    entries.push_back({{}, percent / 100, value.get<double>()});
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& x, const auto& y) { return x.share < y.share; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].ns < entries[i - 1].ns) {
      throw Error{fmt::format("clat_ns: the {:g}th percentile falls below the one before it",
                              100 * entries[i].share)};
    }
  }
  return entries;
}

std::string error_name(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::to_string(error);
}

// Adds what went wrong in a job. `total_err` is there where the job was to go on after errors,
// which all count as of the kind of the first; `error` is what ended it.
void add_mishaps(const json& job, std::map<std::string, Mishap>& mishaps) {
  const double errors = job.value("total_err", 0.0);
  if (errors > 0) {
    mishaps["errors." + error_name(job.value("first_error", 0))].count += errors;
  }
  Mishap& failed = mishaps["failed_jobs"];
  failed.of += 1;
  failed.counted_all = true;
  if (job.value("error", 0) != 0) failed.count += 1;
}

}  // namespace

std::optional<MeasuredResult> result_of_fio(const json& object, const std::string& name) {
  if (!object.contains("fio version") || !object.contains("jobs")) return std::nullopt;
  MeasuredLoad load;
  std::vector<PercentileGroup> all;
  std::map<std::string, std::vector<PercentileGroup>> by_direction{{"read", {}}, {"write", {}}};
  std::map<std::string, Mishap> mishaps;
  for (const json& job : object.at("jobs")) {
    add_mishaps(job, mishaps);
    for (const char* direction : {"read", "write", "trim"}) {
      if (!job.contains(direction)) continue;
      const json& part = job.at(direction);
      mishaps["short_transfers"].count += part.value("short_ios", 0.0);
      mishaps["not_issued.dropped"].count += part.value("drop_ios", 0.0);
      const auto ios = part.value("total_ios", 0.0);
      if (ios == 0) continue;
      load.count += ios;
      load.point.iops += part.at("iops").get<double>();
      load.point.bytes_per_second += part.at("bw_bytes").get<double>();
      const json clat_ns = part.value("clat_ns", json::object());
      all.push_back({ios, {{}, clat_ns.value("mean", 0.0), entries_of(clat_ns)}});
      by_direction[direction].push_back(all.back());
    }
  }
  for (auto& [key, mishap] : mishaps) {
    if (key != "failed_jobs") mishap.of = std::max(load.count, mishap.count);
  }
  load.stood_still = load.count == 0;
  load.reads = by_direction["read"];
  load.latencies.push_back(pooled("service_time_ns", all));
  for (PercentileTable& table : by_operation(by_direction["read"], by_direction["write"])) {
    load.latencies.push_back(std::move(table));
  }
  load.point.latency_ns = load.latencies.front().mean_ns;
  load.point.outstanding = load.point.iops * load.point.latency_ns * 1e-9;
  return MeasuredResult{name, true, {std::move(load)}, std::move(mishaps), std::nullopt};
}

}  // namespace rigel
