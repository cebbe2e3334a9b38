#include "model/compare/measured_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/compare/fio_result.hpp"
#include "traces/error.hpp"
#include "traces/orion_results.hpp"
#include "traces/result_json.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

using nlohmann::json;

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // no result is as large
constexpr double kLargestValue = 1e18;

// 0 when absent or not known.
double number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return 0;
  const auto value = found->get<double>();
  if (!(value >= 0 && value <= kLargestValue)) {
    throw Error{fmt::format("{} {} is not between 0 and 1e18", key, value)};
  }
  return value;
}

// Every member that has percentiles.
std::vector<PercentileTable> latency_tables(const json& object) {
  std::vector<PercentileTable> tables;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_object() || !value.contains("p50")) continue;
    PercentileTable table{name, number_of(value, "mean"), {}, 0};
    for (const Percentile& percentile : kPercentiles) {
      if (!value.contains(percentile.name)) continue;
      const double ns = number_of(value, percentile.name);
      if (!table.entries.empty() && ns < table.entries.back().ns) {
        throw Error{
            fmt::format("{}.{} falls below the percentile before it", name, percentile.name)};
      }
      table.entries.push_back({percentile.name, percentile.share, ns});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

// Group by group.
std::vector<PercentileGroup> groups_of(const json& replay, std::string_view op) {
  std::vector<PercentileGroup> found;
  for (const json& group : replay.value("groups", json::array())) {
    if (group.value("op", "") != op) continue;
    for (PercentileTable& table : latency_tables(group)) {
      if (table.name != "service_time_ns") continue;
      found.push_back({number_of(group, "ios"), std::move(table)});
    }
  }
  return found;
}

std::optional<std::map<std::string, Mishap>> mishaps_of(const json& replay) {
  if (!replay.contains("errors")) return std::nullopt;
  std::map<std::string, Mishap> mishaps;
  const auto add_each = [&](const char* key, double of) {
    const json counts = replay.value(key, json::object());
    for (const auto& entry : counts.items()) {
      mishaps[fmt::format("{}.{}", key, entry.key())] = {entry.value().get<double>(), of};
    }
  };
  const double issued = number_of(replay, "issued");
  add_each("errors", issued);
  add_each("not_issued", number_of(replay, "records"));
  mishaps["short_transfers"] = {number_of(replay, "short_transfers"), issued};
  return mishaps;
}

// One run, of whose ramp the steps are not looked at.
MeasuredResult result_of_replay(const json& replay, const std::string& name) {
  MeasuredLoad load;
  load.point.iops = number_of(replay, "iops");
  load.point.bytes_per_second = number_of(replay, "bytes_per_second");
  const json& service = replay.at("service_time_ns");
  if (service.is_object()) load.point.latency_ns = number_of(service, "mean");
  load.point.outstanding = load.point.iops * load.point.latency_ns * 1e-9;
  load.stood_still = replay.contains("iops") && load.point.iops == 0;
  load.count = number_of(replay, "issued");
  load.latencies = latency_tables(replay);
  const std::vector<PercentileGroup> reads = groups_of(replay, "read");
  for (PercentileTable& table : by_operation(reads, groups_of(replay, "write"))) {
    load.latencies.push_back(std::move(table));
  }
  if (replay.contains("groups")) load.reads = reads;
  MeasuredResult result{name, true, {std::move(load)}, mishaps_of(replay), std::nullopt};
  if (const auto fidelity = replay.find("fidelity"); fidelity != replay.end()) {
    result.faithful = fidelity->value("verdict", "") == "faithful";
  }
  return result;
}

MeasuredResult result_of_ladder(const json& object, LoadCurve curve, const std::string& name) {
  MeasuredResult result{name, false, {}, {}, {}};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    LoadPoint& point = curve.points[i];
    const json& from = object.at("points")[i];
    const bool stood_still = from.contains("iops") && from["iops"].is_number() && point.iops == 0;
    if (!stood_still) complete_by_littles_law(point);
    result.loads.push_back(
        {point, point.iops * point.duration_ns * 1e-9, stood_still, latency_tables(from)});
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
    // Only what is longer than the head ends in a part of a line.
    const bool cut = head.size() == kHeadBytes;
    return !parse_orion_results(cut ? head.substr(0, head.rfind('\n')) : head, name).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<MeasuredResult> parse_result_json(std::string_view text, const std::string& name) {
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded() && text.find("\"fio version\"") != std::string_view::npos) {
    throw Error{name + ": fio's JSON, but not only that: --output-format=json alone is read"};
  }
  if (!object.is_object()) return std::nullopt;
  const bool replay = object.contains("service_time_ns");
  const bool ladder = !replay && object.contains("points");
  if (replay) (void)parse_rigel_json(text, name);  // refuses other versions, as the next does
  LoadCurve curve;
  if (ladder) curve = parse_load_curve_json(text, name);
  try {
    if (replay) return result_of_replay(object, name);
    if (ladder) return result_of_ladder(object, std::move(curve), name);
    return result_of_fio(object, name);
  } catch (const std::exception& error) {
    throw Error{
        fmt::format("{}: a result whose members are not as expected: {}", name, error.what())};
  }
}

std::optional<MeasuredResult> read_result(PeekableSource& source) {
  const auto peek = [&](std::size_t bytes) {
    const auto peeked = source.peek(bytes);
    return std::string_view{reinterpret_cast<const char*>(peeked.data()), peeked.size()};
  };
  const std::string_view head = trimmed(peek(kHeadBytes));
  // Text around fio's JSON is told by the parser.
  const bool is_json =
      head.starts_with('{') || head.find("\"fio version\"") != std::string_view::npos;
  if (head.find('\0') != std::string_view::npos) return std::nullopt;
  if (!is_json && !looks_like_csv_curve(head) && !looks_like_orion(head, source.name())) {
    return std::nullopt;
  }
  // Most are small: what is asked for is also what is allocated.
  std::size_t asked = kHeadBytes;
  std::string_view text;
  do {
    asked = std::min(4 * asked, kMostBytes + 1);
    text = peek(asked);
  } while (text.size() == asked && asked <= kMostBytes);
  if (text.size() > kMostBytes) return std::nullopt;
  if (is_json) return parse_result_json(text, source.name());
  MeasuredResult result{source.name(), false, {}, {}, {}};
  for (LoadPoint& point : parse_load_curve(text, source.name()).points) {
    result.loads.push_back({point, point.iops * point.duration_ns * 1e-9, false, {}});
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
    load.point.outstanding = profile.mean_outstanding;
    load.point.latency_ns = (reads.mean() * reads.count() + writes.mean() * writes.count()) / count;
    std::vector<double> histogram = reads.histogram();
    const std::vector<double> of_writes = writes.histogram();
    histogram.resize(std::max(histogram.size(), of_writes.size()));
    for (std::size_t i = 0; i < of_writes.size(); ++i) histogram[i] += of_writes[i];
    PercentileTable table{"service_time_ns", load.point.latency_ns, {}, 0};
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
  return {name, true, {std::move(load)}, {}, {}};
}

}  // namespace rigel
