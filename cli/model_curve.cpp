#include "cli/model_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

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

// Where things are on a page of 720 by 420.
class Plot {
 public:
  explicit Plot(std::uint64_t largest_pages)
      : doublings_{std::max(1.0, std::log2(static_cast<double>(largest_pages)))} {}
  [[nodiscard]] double x(double doubling) const { return 60 + 640 * doubling / doublings_; }
  [[nodiscard]] double x_of(std::uint64_t pages) const {
    return x(std::log2(static_cast<double>(pages)));
  }
  // A ratio of nothing lies on the axis.
  [[nodiscard]] static double y(double ratio) {
    return std::isnan(ratio) ? 370 : 370 - 350 * ratio;
  }
  [[nodiscard]] double doublings() const { return doublings_; }

 private:
  double doublings_;
};

std::string svg(const std::vector<CurvePoint>& points, std::uint64_t page_bytes) {
  const Plot plot{points.back().pages};
  std::string text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 420\" "
      "font-family=\"sans-serif\" "
      "font-size=\"11\">\n<rect width=\"720\" height=\"420\" fill=\"white\"/>\n";
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    text += fmt::format(
        "<line x1=\"60\" x2=\"700\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"54\" y=\"{1:.1f}\" text-anchor=\"end\">{2} %</text>\n",
        Plot::y(tenth / 10.0), Plot::y(tenth / 10.0) + 4, tenth * 10);
  }
  const double step = std::max(1.0, std::ceil(plot.doublings() / 8));
  for (double doubling = 0; doubling <= plot.doublings(); doubling += step) {
    const auto bytes = static_cast<std::uint64_t>(std::exp2(doubling)) * page_bytes;
    text += fmt::format("<text x=\"{:.1f}\" y=\"388\" text-anchor=\"middle\">{}</text>\n",
                        plot.x(doubling), format_bytes(bytes));
  }
  std::string band;
  for (const CurvePoint& point : points) {
    band += fmt::format("{:.1f},{:.1f} ", plot.x_of(point.pages), Plot::y(point.ratios.high));
  }
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    band += fmt::format("{:.1f},{:.1f} ", plot.x_of(point->pages), Plot::y(point->ratios.low));
  }
  std::string line;
  for (const CurvePoint& point : points) {
    line += fmt::format("{:.1f},{:.1f} ", plot.x_of(point.pages), Plot::y(point.ratios.mean.page));
  }
  return text + fmt::format(
                    "<polygon points=\"{}\" fill=\"#9bd\" stroke=\"none\"/>\n"
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"#036\" stroke-width=\"1.5\"/>\n"
                    "<text x=\"380\" y=\"410\" text-anchor=\"middle\">LRU cache, pages of {}: hit "
                    "ratio by page</text>\n</svg>\n",
                    band, line, format_bytes(page_bytes));
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

void write_curve(const std::string& path, const CacheQuestion& question,
                 const CacheAnswer& answer) {
  const std::vector<CurvePoint> points = curve_points(answer);
  const std::uint64_t page_bytes = question.stream.page_bytes;
  const std::string text =
      path.ends_with(".svg") ? svg(points, page_bytes) : csv(points, page_bytes);
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (!file) throw system_error(path, "cannot write the curve", errno);
}

}  // namespace rigel
