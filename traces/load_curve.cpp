#include "traces/load_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/orion_results.hpp"
#include "traces/result_json.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

struct Field {
  std::string_view name;
  double LoadPoint::*member;
};
constexpr std::array kFields{
    Field{"outstanding", &LoadPoint::outstanding},
    Field{"outstanding_large", &LoadPoint::outstanding_large},
    Field{"iops", &LoadPoint::iops},
    Field{"bytes_per_second", &LoadPoint::bytes_per_second},
    Field{"latency_ns", &LoadPoint::latency_ns},
    Field{"request_bytes", &LoadPoint::request_bytes},
    Field{"duration_ns", &LoadPoint::duration_ns},
};
constexpr std::string_view kHitRatio = "hit_ratio";
constexpr double kLargestValue = 1e18;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double parse_number(std::string_view text, std::string_view column) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0 || value > kLargestValue) {
    throw Error{fmt::format("'{}' is no {}: a number from 0 to 1e18 is wanted", text, column)};
  }
  return value;
}

void set_hit_ratio(LoadPoint& point, double value) {
  if (!(value >= 0 && value <= 1)) {
    throw Error{fmt::format("hit_ratio {} is not between 0 and 1", value)};
  }
  point.hit_ratio = value;
}

void set_field(LoadPoint& point, std::string_view column, std::string_view cell) {
  if (cell.empty()) return;
  if (column == kHitRatio) return set_hit_ratio(point, parse_number(cell, column));
  for (const Field& field : kFields) {
    if (field.name == column) point.*field.member = parse_number(cell, column);
  }
}

// The fields of a JSON object; a wrong type is an error that names the key.
LoadPoint point_from_json(const nlohmann::json& object) {
  LoadPoint point;
  for (const Field& field : kFields) {
    const auto found = object.find(field.name);
    if (found == object.end() || found->is_null()) continue;
    const double value = found->get<double>();
    if (!(value >= 0 && value <= kLargestValue)) {
      throw Error{fmt::format("{} {} is not between 0 and 1e18", field.name, value)};
    }
    point.*field.member = value;
  }
  const auto hit_ratio = object.find(kHitRatio);
  if (hit_ratio != object.end() && !hit_ratio->is_null()) {
    set_hit_ratio(point, hit_ratio->get<double>());
  }
  return point;
}

// What `rigel replay` reports: one load, whose depth Little's law gives.
LoadPoint replay_point(const nlohmann::json& result) {
  LoadPoint point = point_from_json(result);
  point.latency_ns = result.at("service_time_ns").at("mean").get<double>();
  point.outstanding = point.iops * point.latency_ns * 1e-9;
  return point;
}

// The columns of `part` that `whole` does not know yet.
void merge_point(LoadPoint& whole, const LoadPoint& part) {
  for (const Field& field : kFields) {
    if (whole.*field.member == 0) whole.*field.member = part.*field.member;
  }
  whole.latency_error_ns = std::max(whole.latency_error_ns, part.latency_error_ns);
  whole.iops_error = std::max(whole.iops_error, part.iops_error);
  if (!whole.hit_ratio) whole.hit_ratio = part.hit_ratio;
}

LoadCurve parse_any(std::string_view text, const std::string& name) {
  const std::string_view content = trimmed(text);
  if (content.empty()) throw Error{name + ": empty: no load curve in it"};
  if (content.front() == '{') return parse_load_curve_json(text, name);
  const std::string_view first_line = content.substr(0, content.find('\n'));
  const std::vector<std::string_view> header = split(first_line);
  if (std::find(header.begin(), header.end(), "outstanding") != header.end()) {
    return parse_load_curve_csv(text, name);
  }
  std::vector<OrionRun> runs = parse_orion_results(text, name);
  const auto last = std::find_if(runs.rbegin(), runs.rend(),
                                 [](const OrionRun& run) { return !run.curve.points.empty(); });
  if (last == runs.rend()) {
    const std::string& failure = runs.back().failure;
    throw Error{
        fmt::format("{}: ORION measured nothing{}{}", name, failure.empty() ? "" : ": ", failure)};
  }
  return std::move(last->curve);
}

}  // namespace

void complete_by_littles_law(LoadPoint& point) {
  const double n = point.outstanding > 0 ? point.outstanding : point.outstanding_large;
  const bool one_kind = point.outstanding == 0 || point.outstanding_large == 0;
  if (one_kind && point.iops == 0 && point.latency_ns == 0 && point.request_bytes > 0) {
    point.iops = point.bytes_per_second / point.request_bytes;
  }
  if (n > 0 && point.iops == 0 && point.latency_ns > 0) {
    point.iops = n / (point.latency_ns * 1e-9);
    point.iops_error = point.iops * point.latency_error_ns / point.latency_ns;
  }
  if (n > 0 && point.latency_ns == 0 && point.iops > 0) {
    point.latency_ns = n / point.iops * 1e9;
    point.latency_error_ns = point.latency_ns * point.iops_error / point.iops;
  }
  if (point.bytes_per_second == 0) point.bytes_per_second = point.iops * point.request_bytes;
}

LoadCurve parse_load_curve_csv(std::string_view text, const std::string& name) {
  LoadCurve curve{name, {}};
  TextLines lines{text};
  std::vector<std::string_view> columns;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    const std::vector<std::string_view> cells = split(line);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    if (cells.size() != columns.size()) {
      throw error_in_line(
          name, lines.number(),
          fmt::format("{} cells where the header has {}", cells.size(), columns.size()));
    }
    LoadPoint point;
    try {
      for (std::size_t i = 0; i < cells.size(); ++i) set_field(point, columns[i], cells[i]);
    } catch (const Error& error) {
      throw error_in_line(name, lines.number(), error.what());
    }
    if (point.iops == 0 && point.latency_ns == 0) {
      throw error_in_line(name, lines.number(), "neither iops nor latency_ns is given");
    }
    curve.points.push_back(point);
  }
  if (curve.points.empty()) throw Error{name + ": a header, and no point after it"};
  return curve;
}

std::string to_csv(const LoadCurve& curve) {
  std::string text = "outstanding,outstanding_large,iops,bytes_per_second,latency_ns,hit_ratio\n";
  for (const LoadPoint& point : curve.points) {
    text +=
        fmt::format("{},{},{:.3f},{:.0f},{:.0f},{}\n", point.outstanding, point.outstanding_large,
                    point.iops, point.bytes_per_second, point.latency_ns,
                    point.hit_ratio ? fmt::format("{:.6f}", *point.hit_ratio) : "");
  }
  return text;
}

LoadCurve parse_load_curve_json(std::string_view text, const std::string& name) {
  const nlohmann::json result = parse_rigel_json(text, name);
  LoadCurve curve{name, {}};
  try {
    if (result.contains("points")) {
      for (const auto& object : result.at("points")) {
        curve.points.push_back(point_from_json(object));
      }
    } else {
      curve.points.push_back(replay_point(result));
    }
  } catch (const std::exception& error) {
    throw Error{fmt::format("{}: no load curve in this JSON: {}", name, error.what())};
  }
  for (const LoadPoint& point : curve.points) {
    if (point.iops == 0 && point.latency_ns == 0)
      throw Error{name + ": a point with neither iops nor latency_ns"};
  }
  if (curve.points.empty()) throw Error{name + ": \"points\" is empty"};
  return curve;
}

nlohmann::ordered_json to_json(const LoadPoint& point) {
  nlohmann::ordered_json object{{"outstanding", point.outstanding},
                                {"outstanding_large", point.outstanding_large},
                                {"iops", point.iops},
                                {"bytes_per_second", point.bytes_per_second},
                                {"latency_ns", point.latency_ns}};
  if (point.hit_ratio) {
    object["hit_ratio"] = *point.hit_ratio;
  } else {
    object["hit_ratio"] = nullptr;
  }
  if (point.duration_ns > 0) object["duration_ns"] = point.duration_ns;
  return object;
}

LoadCurve parse_load_curve(std::string_view text, const std::string& name) {
  LoadCurve curve = parse_any(text, name);
  for (LoadPoint& point : curve.points) complete_by_littles_law(point);
  return curve;
}

LoadCurve read_load_curve(const std::vector<std::string>& paths) {
  LoadCurve whole;
  for (const std::string& path : paths) {
    const auto source = open_file(path);
    LoadCurve part = parse_any(read_text(*source), source->name());
    if (whole.points.empty()) {
      whole = std::move(part);
      continue;
    }
    whole.source += ", " + part.source;
    for (const LoadPoint& point : part.points) {
      const auto same =
          std::find_if(whole.points.begin(), whole.points.end(), [&](const LoadPoint& other) {
            return other.outstanding == point.outstanding &&
                   other.outstanding_large == point.outstanding_large;
          });
      if (same == whole.points.end()) {
        whole.points.push_back(point);
      } else {
        merge_point(*same, point);
      }
    }
  }
  for (LoadPoint& point : whole.points) complete_by_littles_law(point);
  return whole;
}

}  // namespace rigel
