// One chart: drawn in a terminal, or as an SVG file. Pure functions; nothing throws but for want of
// memory. Points that have no finite place on an axis are left out, and a line has a gap there.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rigel {

enum class AxisUnit : std::uint8_t { kCount, kBytes, kNanoseconds, kSeconds, kPercent, kNines };

struct ChartAxis {
  std::string label;
  AxisUnit unit = AxisUnit::kCount;
  bool log = false;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  double low = 0;  // an interval around y, where the series has one
  double high = 0;
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // rising x
  bool has_interval = false;
};

struct Chart {
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartSeries> series;
};

// The first series is a line, the others are marks. In the terminal with braille dots, eight to a
// character, or in plain ASCII. `columns` and `rows` of the plot itself. Of a chart without points:
// says that.
[[nodiscard]] std::string terminal_chart(const Chart& chart, bool braille, std::size_t columns = 72,
                                         std::size_t rows = 16);
[[nodiscard]] std::string svg_chart(const Chart& chart);

}  // namespace rigel
