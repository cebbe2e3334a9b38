#include "cli/model_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/result_chart.hpp"
#include "traces/error.hpp"

namespace rigel {

namespace {

// NaN, which a sample gives for requests, is an empty cell.
std::string cell(double ratio) {
  return std::isnan(ratio) ? std::string{} : fmt::format("{:.6f}", ratio);
}

std::string csv(const std::vector<CurvePoint>& points, std::uint64_t page_bytes) {
  std::string text =
      "cache_bytes,hit_ratio,low,high,read_hit_ratio,write_hit_ratio,request_hit_ratio,"
      "byte_hit_ratio\n";
  for (const CurvePoint& point : points) {
    const HitRatios& mean = point.ratios.mean;
    text += fmt::format("{},{},{},{},{},{},{},{}\n", point.pages * page_bytes, cell(mean.page),
                        cell(point.ratios.low), cell(point.ratios.high), cell(mean.read_page),
                        cell(mean.write_page), cell(mean.request), cell(mean.byte));
  }
  return text;
}

}  // namespace

std::vector<CurvePoint> curve_points(const CacheAnswer& answer) {
  constexpr double kStep = 1.0 / 16;
  const std::uint64_t last = std::max<std::uint64_t>(answer.pages_for_share(1).value_or(1), 1);
  std::vector<CurvePoint> points;
  for (int i = 0;; ++i) {
    const auto pages = static_cast<std::uint64_t>(std::exp2(i * kStep));
    if (!points.empty() && pages == points.back().pages) continue;
    points.push_back({std::min(pages, last), answer.lru_at(std::min(pages, last))});
    if (pages >= last) return points;
  }
}

void check_curve_name(const std::string& path) {
  if (path.ends_with(".csv") || path.ends_with(".svg")) return;
  throw UsageError{fmt::format("--curve {}: the name must end in .csv or .svg", path)};
}

void write_curve(const std::string& path, const CacheQuestion& question, const CacheAnswer& answer,
                 const nlohmann::ordered_json& json) {
  const std::string text = path.ends_with(".svg")
                               ? svg_chart(*chart_of(json))
                               : csv(curve_points(answer), question.stream.page_bytes);
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (!file) throw system_error(path, "cannot write the curve", errno);
}

}  // namespace rigel
