#include "cli/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "traces/quantity.hpp"

namespace rigel {
namespace {

// From the values of an axis to 0..1.
class Scale {
 public:
  Scale(const ChartAxis& axis, double low, double high) : log_{axis.log} {
    low_ = place(low);
    high_ = place(high);
    if (!(high_ > low_)) high_ = low_ + 1;
  }
  [[nodiscard]] double of(double value) const { return (place(value) - low_) / (high_ - low_); }
  [[nodiscard]] double value(double share) const {
    const double at = low_ + share * (high_ - low_);
    return log_ ? std::exp2(at) : at;
  }

 private:
  [[nodiscard]] double place(double value) const { return log_ ? std::log2(value) : value; }

  bool log_;
  double low_ = 0;
  double high_ = 1;
};

bool has_place(const ChartAxis& axis, double value) {
  constexpr double kLargest = 1e18;  // what labels can say in whole numbers
  return std::abs(value) <= kLargest && (!axis.log || value > 0);
}

bool has_place(const Chart& chart, const ChartPoint& point) {
  return has_place(chart.x, point.x) && has_place(chart.y, point.y);
}

constexpr std::array<const char*, 6> kNineNames{"p50", "p90", "p99", "p99.9", "p99.99", "max"};

struct Frame {
  Scale x;
  Scale y;
  bool empty;
};

Frame frame_of(const Chart& chart) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  double left = kMost;
  double right = -kMost;
  double bottom = chart.y.log ? kMost : 0;
  double top = chart.y.unit == AxisUnit::kPercent ? 100 : -kMost;
  bool empty = true;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!has_place(chart, point)) continue;
      empty = false;
      left = std::min(left, point.x);
      right = std::max(right, point.x);
      bottom = std::min(bottom, point.y);
      top = std::max(top, point.y);
    }
  }
  if (empty) return {{chart.x, 1, 2}, {chart.y, 1, 2}, true};
  if (chart.x.unit == AxisUnit::kNines) {
    left = 0;
    right = kNineNames.size() - 1;
  }
  return {{chart.x, left, right}, {chart.y, bottom, top}, false};
}

std::string text_of(const ChartAxis& axis, double value) {
  switch (axis.unit) {
    case AxisUnit::kBytes:
      return format_bytes(static_cast<std::uint64_t>(std::max(0.0, value)));
    case AxisUnit::kNanoseconds:
      return format_duration(static_cast<std::int64_t>(value));
    case AxisUnit::kSeconds:
      return format_duration(static_cast<std::int64_t>(value * 1e9));
    case AxisUnit::kPercent:
      return fmt::format("{:.0f} %", value);
    case AxisUnit::kNines: {
      const auto index = static_cast<std::size_t>(std::llround(std::clamp(value, 0.0, 5.0)));
      return kNineNames[index];
    }
    case AxisUnit::kCount:
      break;
  }
  return value < 10 ? fmt::format("{:.3g}", value)
                    : format_count(static_cast<std::uint64_t>(value + 0.5));
}

// Dots of a plot, two by four to a character.
class Dots {
 public:
  Dots(std::size_t columns, std::size_t rows)
      : columns_{columns}, rows_{rows}, set_(columns * 2 * rows * 4), marks_(columns * rows, 0) {}

  [[nodiscard]] double width() const { return static_cast<double>(columns_ * 2 - 1); }
  [[nodiscard]] double height() const { return static_cast<double>(rows_ * 4 - 1); }

  void line(double x0, double y0, double x1, double y1) {
    const int steps = static_cast<int>(std::max({1.0, std::abs(x1 - x0), std::abs(y1 - y0)}));
    for (int i = 0; i <= steps; ++i) {
      const double share = static_cast<double>(i) / steps;
      set_[index(x0 + share * (x1 - x0), y0 + share * (y1 - y0))] = true;
    }
  }
  void mark(double x, double y, char symbol) {
    const std::size_t at = index(x, y);
    const std::size_t column = at % (columns_ * 2) / 2;
    marks_[at / (columns_ * 2) / 4 * columns_ + column] = symbol;
  }

  [[nodiscard]] std::string row(std::size_t row, bool braille) const {
    std::string text;
    for (std::size_t column = 0; column < columns_; ++column) {
      const char mark = marks_[row * columns_ + column];
      const unsigned pattern = pattern_at(column, row);
      if (mark != 0) {
        text += mark;
      } else if (braille) {
        // U+2800 and the dots, in UTF-8.
        text += '\xe2';
        text += static_cast<char>(0xa0 + (pattern >> 6));
        text += static_cast<char>(0x80 + (pattern & 0x3f));
      } else {
        text += pattern != 0 ? '*' : ' ';
      }
    }
    return text;
  }

 private:
  [[nodiscard]] std::size_t index(double x, double y) const {
    const auto column = static_cast<std::size_t>(std::clamp(x, 0.0, width()) + 0.5);
    const auto line = static_cast<std::size_t>(height() - std::clamp(y, 0.0, height()) + 0.5);
    return line * columns_ * 2 + column;
  }
  // Dots 1-3 and 7 are the left column from above, 4-6 and 8 the right one.
  [[nodiscard]] unsigned pattern_at(std::size_t column, std::size_t row) const {
    static constexpr std::array<std::array<unsigned, 4>, 2> kBits{
        {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    unsigned pattern = 0;
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t y = 0; y < 4; ++y) {
        const bool is_set = set_[(row * 4 + y) * columns_ * 2 + column * 2 + x];
        if (is_set) pattern |= kBits[x][y];
      }
    }
    return pattern;
  }

  std::size_t columns_;
  std::size_t rows_;
  std::vector<bool> set_;
  std::vector<char> marks_;
};

constexpr std::string_view kMarks = "xo+#";

void draw(const Chart& chart, const Frame& frame, Dots& dots) {
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    bool begun = false;
    double last_x = 0;
    double last_y = 0;
    for (const ChartPoint& point : chart.series[i].points) {
      if (!has_place(chart, point)) {
        begun = false;
        continue;
      }
      const double x = frame.x.of(point.x) * dots.width();
      const double y = frame.y.of(point.y) * dots.height();
      if (i > 0) {
        dots.mark(x, y, kMarks[(i - 1) % kMarks.size()]);
      } else {
        dots.line(begun ? last_x : x, begun ? last_y : y, x, y);
      }
      begun = true;
      last_x = x;
      last_y = y;
    }
  }
}

// Labels below the columns that they name: the first from its column on, the last up to its own.
std::string tick_line(const ChartAxis& axis, const Scale& scale, std::size_t columns) {
  const std::size_t last = (axis.unit == AxisUnit::kNines ? kNineNames.size() : 4) - 1;
  std::string line(columns, ' ');
  for (std::size_t tick = 0; tick <= last; ++tick) {
    const double share = static_cast<double>(tick) / static_cast<double>(last);
    const std::string label = text_of(axis, scale.value(share));
    const double middle = share * static_cast<double>(columns - 1);
    const double begin = middle - static_cast<double>(label.size() - 1) / 2;
    const double most = static_cast<double>(columns - std::min(columns, label.size()));
    line.replace(static_cast<std::size_t>(std::clamp(std::round(begin), 0.0, most)), label.size(),
                 label);
  }
  return line;
}

std::string legend(const Chart& chart, bool braille) {
  if (chart.series.size() < 2) return {};
  std::string text;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string mark =
        i == 0 ? (braille ? "line" : "*") : std::string(1, kMarks[(i - 1) % kMarks.size()]);
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", mark, chart.series[i].name);
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else {
      result += c;
    }
  }
  return result;
}

constexpr std::array kColours{"#036", "#c40", "#280", "#808", "#666"};

double svg_x(const Frame& frame, double value) {
  return 80 + 620 * frame.x.of(value);
}

double svg_y(const Frame& frame, double value) {
  return 370 - 340 * std::clamp(frame.y.of(value), 0.0, 1.0);
}

// The first series: a line for each run of points, with the interval behind it.
std::string svg_line(const Chart& chart, const Frame& frame, const char* colour) {
  const ChartSeries& series = chart.series.front();
  std::string text;
  std::string line;
  std::string above;
  std::string below;
  const auto finish = [&] {
    if (line.empty()) return;
    if (series.has_interval) {
      text +=
          fmt::format("<polygon points=\"{}{}\" fill=\"#9bd\" stroke=\"none\"/>\n", above, below);
    }
    text +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                    line, colour);
    line.clear();
    above.clear();
    below.clear();
  };
  for (const ChartPoint& point : series.points) {
    if (!has_place(chart, point)) {
      finish();
      continue;
    }
    const double x = svg_x(frame, point.x);
    line += fmt::format("{:.1f},{:.1f} ", x, svg_y(frame, point.y));
    above += fmt::format("{:.1f},{:.1f} ", x, svg_y(frame, point.high));
    below = fmt::format("{:.1f},{:.1f} ", x, svg_y(frame, point.low)) + below;
  }
  finish();
  return text;
}

std::string svg_marks(const Chart& chart, const Frame& frame, std::size_t series,
                      const char* colour) {
  std::string text;
  for (const ChartPoint& point : chart.series[series].points) {
    if (!has_place(chart, point)) continue;
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                        svg_x(frame, point.x), svg_y(frame, point.y), colour);
  }
  return text;
}

}  // namespace

std::string terminal_chart(const Chart& chart, bool braille, std::size_t columns,
                           std::size_t rows) {
  const Frame frame = frame_of(chart);
  if (frame.empty) return fmt::format("{}: nothing to draw\n", chart.title);
  Dots dots{columns, rows};
  draw(chart, frame, dots);
  std::string text = fmt::format("{}: {} over {}\n", chart.title, chart.y.label, chart.x.label);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool labelled = row % 5 == 0 || row + 1 == rows;
    const double share = 1 - static_cast<double>(row) / static_cast<double>(rows - 1);
    text += fmt::format("{:>12} |{}\n", labelled ? text_of(chart.y, frame.y.value(share)) : "",
                        dots.row(row, braille));
  }
  text += fmt::format("{:>12} +{}\n{:14}{}\n", "", std::string(columns, '-'), "",
                      tick_line(chart.x, frame.x, columns));
  const std::string names = legend(chart, braille);
  return text + (names.empty() ? "" : fmt::format("{:14}{}\n", "", names));
}

std::string svg_chart(const Chart& chart) {
  const Frame frame = frame_of(chart);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 430\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"720\" height=\"430\" fill=\"white\"/>\n"
      "<text x=\"390\" y=\"18\" text-anchor=\"middle\" font-size=\"13\">{}</text>\n",
      escaped(fmt::format("{}: {} over {}", chart.title, chart.y.label, chart.x.label)));
  for (int fifth = 0; fifth <= 5 && !frame.empty; ++fifth) {
    const double at = 370 - 68.0 * fifth;
    text += fmt::format(
        "<line x1=\"80\" x2=\"700\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"74\" y=\"{1:.1f}\" text-anchor=\"end\">{2}</text>\n"
        "<text x=\"{3:.1f}\" y=\"388\" text-anchor=\"{5}\">{4}</text>\n",
        at, at + 4, text_of(chart.y, frame.y.value(fifth / 5.0)),
        fifth < 5 ? 80 + 124.0 * fifth : 715, text_of(chart.x, frame.x.value(fifth / 5.0)),
        fifth < 5 ? "middle" : "end");
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const char* const colour = kColours[i % kColours.size()];
    text += i == 0 ? svg_line(chart, frame, colour) : svg_marks(chart, frame, i, colour);
    text += fmt::format("<text x=\"{}\" y=\"410\" fill=\"{}\">{}</text>\n", 80 + 124 * i, colour,
                        escaped(chart.series[i].name));
  }
  return text + "</svg>\n";
}

}  // namespace rigel
