#include <nlohmann/json.hpp>

#include "cli/missing_json.hpp"
#include "cli/summary_report.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

Json totals_json(const IoTotals& totals) {
  const OpTotals all = totals.all();
  Json json;
  json["records"] = all.records;
  for (std::uint8_t i = 0; i < kIoOpCount; ++i) {
    static constexpr std::array<const char*, kIoOpCount> kNames{
        "reads", "writes", "flushes", "discards", "write_zeroes", "others"};
    json[kNames[i]] = totals.ops[i].records;
  }
  json["read_bytes"] = totals.of(IoOp::kRead).bytes;
  json["write_bytes"] = totals.of(IoOp::kWrite).bytes;
  const std::uint64_t accesses = totals.of(IoOp::kRead).records + totals.of(IoOp::kWrite).records;
  if (accesses != 0) {
    json["sequential_ratio"] = static_cast<double>(all.sequential) / static_cast<double>(accesses);
  }
  if (totals.completed != 0) json["mean_response_ns"] = totals.mean_response_ns();
  return json;
}

Json histogram_json(const LatencyHistogram& histogram) {
  return {{"count", histogram.count()},
          {"mean", histogram.mean_ns()},
          {"min", histogram.min_ns()},
          {"p50", histogram.quantile_ns(0.5)},
          {"p90", histogram.quantile_ns(0.9)},
          {"p99", histogram.quantile_ns(0.99)},
          {"p999", histogram.quantile_ns(0.999)},
          {"p9999", histogram.quantile_ns(0.9999)},
          {"max", histogram.max_ns()}};
}

Json latency_json(const LatencyGroup& group) {
  Json json = Json::object();
  if (group.queue.count() != 0) json["queue_time_ns"] = histogram_json(group.queue);
  if (group.service.count() != 0) json["service_time_ns"] = histogram_json(group.service);
  if (group.response.count() != 0) json["response_time_ns"] = histogram_json(group.response);
  return json;
}

Json reuse_json(const Reuse& reuse, std::uint64_t page_bytes) {
  Json json{{"accesses", reuse.accesses},
            {"distinct_pages", reuse.distinct},
            {"span_bytes", reuse.span * page_bytes},
            {"reuse_ratio", reuse.ratio()},
            {"uniform_distinct_pages", reuse.uniform_distinct},
            {"uniform_reuse_ratio", reuse.uniform_ratio()}};
  if (reuse.uniform_deviation >= 0) {
    const UniformInterval interval = reuse.uniform_interval();
    json["uniform_low"] = interval.low;
    json["uniform_high"] = interval.high;
  }
  return json;
}

Json sizes_json(const TraceSummary& summary) {
  Json json = Json::array();
  for (std::size_t i = 0; i < summary.read_sizes.size(); ++i) {
    if (summary.read_sizes[i] == 0 && summary.write_sizes[i] == 0) continue;
    json.push_back({{"up_to_bytes", std::uint64_t{1} << i},
                    {"reads", summary.read_sizes[i]},
                    {"writes", summary.write_sizes[i]}});
  }
  return json;
}

// Nothing was seen is not nothing happened.
Json over_time(const TraceSummary& summary, std::size_t cell, double value) {
  return summary.timeline_unknown[cell] ? Json(nullptr) : Json(value);
}

Json role_timelines_json(const TraceSummary& summary, double seconds) {
  Json roles = Json::object();
  for (const auto& [name, cells] : summary.role_timelines) {
    Json& role = roles[name];
    role["iops"] = Json::array();
    role["bytes_per_second"] = Json::array();
    for (std::size_t i = 0; i < summary.timeline.size(); ++i) {
      const Timeline::Cell cell = i < cells.size() ? cells[i] : Timeline::Cell{};
      role["iops"].push_back(over_time(summary, i, static_cast<double>(cell.records) / seconds));
      role["bytes_per_second"].push_back(
          over_time(summary, i, static_cast<double>(cell.bytes) / seconds));
    }
  }
  return roles;
}

Json timeline_json(const TraceSummary& summary) {
  const double seconds = static_cast<double>(summary.timeline_cell_ns) / 1e9;
  Json iops = Json::array();
  Json bytes = Json::array();
  Json outstanding = Json::array();
  for (std::size_t i = 0; i < summary.timeline.size(); ++i) {
    const Timeline::Cell& cell = summary.timeline[i];
    iops.push_back(over_time(summary, i, static_cast<double>(cell.records) / seconds));
    bytes.push_back(over_time(summary, i, static_cast<double>(cell.bytes) / seconds));
    outstanding.push_back(
        over_time(summary, i, cell.outstanding_ns / static_cast<double>(summary.timeline_cell_ns)));
  }
  Json json{{"interval_ns", summary.timeline_cell_ns}, {"iops", iops}, {"bytes_per_second", bytes}};
  if (summary.totals.completed != 0) json["outstanding"] = outstanding;
  if (!summary.role_timelines.empty()) json["roles"] = role_timelines_json(summary, seconds);
  return json;
}

Json device_json(const DeviceSummary& device, std::uint64_t page_bytes) {
  Json json{{"name", device.device.name}};
  if (device.device.size_bytes != 0) json["size_bytes"] = device.device.size_bytes;
  if (!device.device.wwid.empty()) json["wwid"] = device.device.wwid;
  json.update(totals_json(device.totals));
  json["footprint_bytes"] = device.footprint_pages * page_bytes;
  json["read_reuse"] = reuse_json(device.reads, page_bytes);
  json["write_reuse"] = reuse_json(device.writes, page_bytes);
  if (!device.heat_map.rows.empty()) {
    json["heat_map"] = {{"column_ns", device.heat_map.column_ns},
                        {"first_bytes", device.heat_map.first_bytes},
                        {"row_bytes", device.heat_map.row_bytes},
                        {"rows", device.heat_map.rows}};
  }
  return json;
}

Json stream_json(const StreamSummary& stream) {
  Json json{{"comm", stream.comm}, {"pid", stream.pid}, {"role", stream.role}};
  if (!stream.instance.empty()) json["instance"] = stream.instance;
  json["tasks"] = stream.tasks;
  json.update(totals_json(stream.totals));
  return json;
}

void add_times(const TraceSummary& summary, Json& json) {
  if (!summary.has_times) return;
  const double seconds = static_cast<double>(summary.duration_ns) / 1e9;
  if (seconds > 0) {
    json["iops"] = static_cast<double>(summary.records) / seconds;
    json["bytes_per_second"] = static_cast<double>(summary.totals.all().bytes) / seconds;
  }
  json["peak_second_iops"] = summary.peak_second_records;
  json["peak_second_ns"] = summary.peak_second_ns;
  Json& burstiness = json["burstiness"];
  burstiness["interarrival_squared_variation"] = summary.interarrival_squared_variation;
  if (summary.dispersion_1s) burstiness["dispersion_of_counts_1s"] = *summary.dispersion_1s;
  if (summary.dispersion_100ms) {
    burstiness["dispersion_of_counts_100ms"] = *summary.dispersion_100ms;
  }
  if (summary.totals.completed != 0) {
    json["outstanding"] = {{"mean", summary.mean_outstanding}, {"max", summary.max_outstanding}};
  }
  json["timeline"] = timeline_json(summary);
  if (!summary.latency_map.rows.empty()) {
    json["latency_map"] = {{"column_ns", summary.latency_map.column_ns},
                           {"bounds_ns", summary.latency_map.bounds_ns},
                           {"rows", summary.latency_map.rows}};
  }
}

// Figures that need a column which the trace has not: absent, not 0.
void erase_unknown(Json& json, const TraceSummary& summary) {
  struct Need {
    Column column;
    std::vector<const char*> keys;
  };
  static const std::vector<Need> kNeeds{
      {Column::kOp,
       {"reads", "writes", "flushes", "discards", "write_zeroes", "others", "read_bytes",
        "write_bytes", "read_reuse", "write_reuse", "sizes", "latency"}},
      {Column::kLength,
       {"read_bytes", "write_bytes", "bytes", "bytes_per_second", "sizes", "sequential_ratio",
        "footprint_bytes", "read_reuse", "write_reuse"}},
      {Column::kOffset,
       {"sequential_ratio", "footprint_bytes", "read_reuse", "write_reuse", "heat_map"}}};
  for (const Need& need : kNeeds) {
    if (!json.is_object() || summary.knows(need.column)) continue;
    for (const char* key : need.keys) json.erase(key);
  }
  if (!json.is_structured()) return;
  for (Json& inner : json) erase_unknown(inner, summary);
}

}  // namespace

Json summary_json(const TraceSummary& summary) {
  const TraceMeta& meta = summary.tables.meta;
  Json json{{"schema", 1}, {"source", meta.source}, {"host", meta.host}, {"kernel", meta.kernel}};
  json["clock"] = meta.clock;
  json["start_wall_ns"] = meta.start_wall_ns;
  json["extra"] = meta.extra;
  add_missing_counts(summary.tables, json);
  json["duration_ns"] = summary.has_times ? Json(summary.duration_ns) : Json(nullptr);
  json.update(totals_json(summary.totals));
  json["page_bytes"] = summary.page_bytes;
  json["footprint_bytes"] = summary.footprint_pages * summary.page_bytes;
  json["read_reuse"] = reuse_json(summary.reads, summary.page_bytes);
  json["write_reuse"] = reuse_json(summary.writes, summary.page_bytes);
  add_times(summary, json);
  json["sizes"] = sizes_json(summary);
  json["errors"] = Json::object();
  for (const auto& [code, count] : summary.errors) json["errors"][std::to_string(code)] = count;
  json["latency"] = Json::object();
  for (std::uint8_t i = 0; i < kIoOpCount; ++i) {
    if (!summary.op_latency[i]) continue;
    json["latency"][std::string{op_name(static_cast<IoOp>(i))}] =
        latency_json(*summary.op_latency[i]);
  }
  json["role_latency"] = Json::object();
  for (const auto& [role, group] : summary.role_latency) {
    json["role_latency"][role] = latency_json(group);
  }
  json["devices"] = Json::array();
  for (const DeviceSummary& device : summary.devices) {
    json["devices"].push_back(device_json(device, summary.page_bytes));
  }
  json["io_classes"] = Json::array();
  for (const auto& [name, kind] : summary.io_classes) {
    json["io_classes"].push_back({{"name", name},
                                  {"records", kind.records},
                                  {"bytes", kind.bytes},
                                  {"response_time_ns", histogram_json(kind.response)}});
  }
  json["streams"] = Json::array();
  for (const StreamSummary& stream : summary.streams)
    json["streams"].push_back(stream_json(stream));
  erase_unknown(json, summary);
  add_missing_places(summary.tables, json);
  return json;
}

}  // namespace rigel
