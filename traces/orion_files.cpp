#include "traces/orion_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace rigel {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

bool in_microseconds(OrionStyle style) {
  return style != OrionStyle::k111;
}

std::string at(const OrionMeasuredPoint& point) {
  return fmt::format("@ Small={} and Large={}", point.small_outstanding, point.large_outstanding);
}

// The point that `better` prefers among those with I/Os of the kind; nullptr when there is none.
const OrionMeasuredPoint* best_point(
    const OrionReport& report, OrionMeasurement OrionMeasuredPoint::*kind,
    const std::function<bool(const OrionMeasurement&, const OrionMeasurement&)>& better) {
  const OrionMeasuredPoint* best = nullptr;
  for (const OrionMeasuredPoint& point : report.points) {
    if ((point.*kind).ios() == 0) continue;
    if (best == nullptr || better(point.*kind, best->*kind)) best = &point;
  }
  return best;
}

const OrionMeasuredPoint* most_mbps(const OrionReport& report) {
  return best_point(report, &OrionMeasuredPoint::large,
                    [](const auto& a, const auto& b) { return a.mbps() > b.mbps(); });
}

const OrionMeasuredPoint* most_iops(const OrionReport& report) {
  return best_point(report, &OrionMeasuredPoint::small,
                    [](const auto& a, const auto& b) { return a.iops() > b.iops(); });
}

const OrionMeasuredPoint* least_latency(const OrionReport& report) {
  return best_point(report, &OrionMeasuredPoint::small, [](const auto& a, const auto& b) {
    return a.mean_latency_ns() < b.mean_latency_ns();
  });
}

std::string latency_line(std::string_view kind, const LatencyHistogram& latency,
                         const OrionMeasuredPoint& point, OrionStyle style) {
  if (latency.count() == 0) return {};
  const int decimals = style == OrionStyle::k19c ? 3 : 0;
  const auto us = [&](double ns) { return fmt::format("{:.{}f} us", ns / 1e3, decimals); };
  return fmt::format("Small {} Latency: avg={}, min={}, max={}, std dev={} {}\n", kind,
                     us(latency.mean_ns()), us(static_cast<double>(latency.min_ns())),
                     us(static_cast<double>(latency.max_ns())), us(latency.stddev_ns()), at(point));
}

std::string latency_lines(const OrionMeasuredPoint& point, OrionStyle style) {
  return latency_line("Read", point.small.reads, point, style) +
         latency_line("Write", point.small.writes, point, style);
}

// Powers of two of microseconds from 32 up to what covers both, then one row for all above.
std::string histogram(std::string_view kind, const OrionMeasurement& measured,
                      const OrionMeasuredPoint& point) {
  constexpr std::uint64_t kLastUs = 1U << 28;
  std::string text =
      fmt::format("{} Read / Write Latency Histogram {}\n", kind, at(point)) +
      "        Latency:                         # of IOs (read)          # of IOs (write)\n";
  const auto most_us = static_cast<std::uint64_t>(
      std::max(measured.reads.max_ns(), measured.writes.max_ns()) / 1000);
  std::uint64_t reads_before = 0;
  std::uint64_t writes_before = 0;
  const auto row = [&](std::uint64_t low_us, std::uint64_t high_us, std::uint64_t reads_to,
                       std::uint64_t writes_to) {
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
    };
    text += fmt::format("{:9} - {:<10} us:{:16} ({:6.2f}%){:15} ({:6.2f}%)\n", low_us, high_us,
                        reads_to - reads_before, percent(reads_to, measured.reads.count()),
                        writes_to - writes_before, percent(writes_to, measured.writes.count()));
    reads_before = reads_to;
    writes_before = writes_to;
  };
  std::uint64_t low_us = 0;
  std::uint64_t high_us = 32;
  for (;;) {
    const auto limit_ns = static_cast<std::int64_t>(high_us * 1000) - 1;
    row(low_us, high_us, measured.reads.count_at_or_below(limit_ns),
        measured.writes.count_at_or_below(limit_ns));
    low_us = high_us;
    if (high_us > most_us || high_us >= kLastUs / 2) break;
    high_us *= 2;
  }
  row(low_us, kLastUs, measured.reads.count(), measured.writes.count());
  return text;
}

std::string list(const std::vector<std::uint32_t>& levels) {
  std::string text;
  for (const std::uint32_t level : levels) text += fmt::format(",{:7}", level);
  return text;
}

// A table of small loads across and large loads down. Cells that were not run are left out at the
// end of a row and blank before one that was.
std::string table(const OrionReport& report, bool of_large,
                  const std::function<std::string(const OrionMeasurement&)>& cell) {
  // Small loads have no figure where there are none, nor have large ones: no such column or row.
  const auto without_zero = [](std::vector<std::uint32_t> levels, bool drop) {
    if (drop) levels.erase(std::remove(levels.begin(), levels.end(), 0U), levels.end());
    return levels;
  };
  const auto columns = without_zero(report.small_columns, !of_large);
  const auto rows = without_zero(report.large_columns, of_large);
  std::string text = "Large/Small" + list(columns) + "\n";
  for (const std::uint32_t large : rows) {
    std::string cells;
    std::string blanks;
    for (const std::uint32_t small : columns) {
      const auto point = std::find_if(
          report.points.begin(), report.points.end(), [&](const OrionMeasuredPoint& p) {
            return p.small_outstanding == small && p.large_outstanding == large;
          });
      blanks += fmt::format(",{:7}", "");
      if (point == report.points.end()) continue;
      cells +=
          blanks.substr(0, blanks.size() - 8) + "," + cell(of_large ? point->large : point->small);
      blanks.clear();
    }
    text += fmt::format("{:11}{}\n", large, cells);
  }
  return text;
}

// From 11.2 on every file says first what it holds.
std::string heading(OrionStyle style, std::string_view what) {
  if (style == OrionStyle::k111) return {};
  return fmt::format(
      "{}\nA column for each number of small I/Os kept outstanding,\n"
      "a row for each number of large ones.\n\n",
      what);
}

// The basic matrix is two ladders, of which the summary names the second; a row leaves its 0 out.
std::vector<std::uint32_t> summary_columns(const OrionReport& report) {
  if (report.basic_matrix) return {0};
  std::vector<std::uint32_t> columns = report.small_columns;
  const bool is_row = columns.size() > 1 && report.large_columns.size() == 1;
  if (is_row && columns.front() == 0) columns.erase(columns.begin());
  return columns;
}

std::string cache_setting(const OrionReport& report, std::string_view unset) {
  if (!report.cache_bytes) return std::string{unset};
  return fmt::format("{} MB", *report.cache_bytes >> 20);
}

std::string settings_111(const OrionReport& report) {
  return fmt::format(
      "Commandline:\n{}\n\nThis maps to this test:\nTest: {}\nSmall IO size: {} KB\n"
      "Large IO size: {} KB\nIO Types: Small Random IOs, Large {} IOs\n{}"
      "Simulated Array Type: {}\n{}Write: {}%\nCache Size: {}\n"
      "Duration for each Data Point: {} seconds\n",
      report.command_line, report.test_name, report.small_bytes >> 10, report.large_bytes >> 10,
      report.sequential ? "Sequential" : "Random",
      report.sequential ? fmt::format("Number of Concurrent IOs Per Stream: {}\n", report.stream_io)
                        : "",
      report.stripe_bytes == 0 ? "CONCAT" : "RAID 0",
      report.stripe_bytes == 0 ? ""
                               : fmt::format("Stripe Depth: {} KB\n", report.stripe_bytes >> 10),
      report.write_percent, cache_setting(report, "Not Entered"), report.duration_seconds);
}

std::string settings_112(const OrionReport& report) {
  return fmt::format(
      "Command line:\n{}\n\nThese options enable these settings:\nTest: {}\n"
      "Small IO size: {} KB\nLarge IO size: {} KB\nIO types: small random IOs, large {} IOs\n{}"
      "Sequential stream pattern: {}\nWrites: {}%\nCache size: {}\n"
      "Duration for each data point: {} seconds\n",
      report.command_line, report.test_name, report.small_bytes >> 10, report.large_bytes >> 10,
      report.sequential ? "sequential" : "random",
      report.sequential ? fmt::format("Number of concurrent IOs per stream: {}\n", report.stream_io)
                        : "",
      report.stripe_bytes == 0 ? "one LUN concatenation for all streams"
                               : fmt::format("RAID-0 striping for all streams, stripe depth {} KB",
                                             report.stripe_bytes >> 10),
      report.write_percent, cache_setting(report, "not specified"), report.duration_seconds);
}

}  // namespace

double OrionMeasurement::iops() const {
  return seconds > 0 ? static_cast<double>(ios()) / seconds : 0;
}

double OrionMeasurement::mbps() const {
  return iops() * static_cast<double>(request_bytes) / kMega;
}

double OrionMeasurement::mean_latency_ns() const {
  if (ios() == 0) return 0;
  const double sum = reads.mean_ns() * static_cast<double>(reads.count()) +
                     writes.mean_ns() * static_cast<double>(writes.count());
  return sum / static_cast<double>(ios());
}

std::string orion_verbose_lines(const OrionMeasuredPoint& point) {
  const auto line = [](std::string_view kind, const OrionMeasurement& measured, std::uint32_t mine,
                       std::uint32_t others) {
    if (measured.ios() == 0) return std::string{};
    const std::string_view direction = measured.writes.count() == 0  ? "READ"
                                       : measured.reads.count() == 0 ? "WRITE"
                                                                     : "READ/WRITE";
    return fmt::format(
        "ran ({}): my {} oth {} iops {:.0f} size {} K lat {:.2f} ms bw = {:.2f} MBps dur {:.2f} s "
        "{}\n",
        kind, mine, others, measured.iops(), measured.request_bytes >> 10,
        measured.mean_latency_ns() / 1e6, measured.mbps(), measured.seconds, direction);
  };
  return line("small", point.small, point.small_outstanding, point.large_outstanding) +
         line("large", point.large, point.large_outstanding, point.small_outstanding);
}

std::string orion_console_opening(const OrionReport& report, OrionStyle style,
                                  std::string_view run_name) {
  const std::string first =
      fmt::format("ORION: ORacle IO Numbers -- Version {}\n{}\n", report.tool, run_name);
  if (style == OrionStyle::k111) {
    return first + fmt::format(
                       "Test will take approximately {} minutes\n"
                       "Larger caches may take longer\n\n",
                       report.minutes);
  }
  return first + fmt::format(
                     "Calibration will take approximately {} minutes.\n"
                     "Using a large value for -cache_size may take longer.\n\n{}",
                     report.minutes, style == OrionStyle::k19c ? "Setting ftype=0\n" : "");
}

std::string orion_findings(const OrionReport& report, OrionStyle style) {
  std::string text;
  const std::string gap = in_microseconds(style) ? "\n" : "";
  if (const auto* best = most_mbps(report)) {
    text += fmt::format("Maximum Large MBPS={:.2f} {}\n{}", best->large.mbps(), at(*best), gap);
  }
  const auto* fastest = most_iops(report);
  const auto* nearest = least_latency(report);
  if (fastest == nullptr) return text;
  text += fmt::format("Maximum Small IOPS={:.0f} {}\n", fastest->small.iops(), at(*fastest));
  if (!in_microseconds(style)) {
    return text + fmt::format("Minimum Small Latency={:.2f} {}\n",
                              nearest->small.mean_latency_ns() / 1e6, at(*nearest));
  }
  return text + latency_lines(*fastest, style) +
         fmt::format("\nMinimum Small Latency={:.{}f} usecs {}\n",
                     nearest->small.mean_latency_ns() / 1e3, style == OrionStyle::k19c ? 3 : 2,
                     at(*nearest)) +
         latency_lines(*nearest, style) + histogram("Small", nearest->small, *nearest);
}

std::string orion_summary(const OrionReport& report, OrionStyle style) {
  const bool old = style == OrionStyle::k111;
  std::string text = fmt::format("ORION VERSION {}\n\n", report.tool);
  text += old ? settings_111(report) : settings_112(report);
  text += "Small Columns:" + list(summary_columns(report)) + "\n";
  text += "Large Columns:" + list(report.large_columns) + "\n";
  text += fmt::format("Total Data Points: {}\n\n", report.total_points);
  for (const OrionLun& lun : report.luns) {
    text += fmt::format("Name: {}  Size: {}\n", lun.name, lun.size_bytes);
  }
  text += fmt::format("{} {} found.\n\n", report.luns.size(), old ? "FILEs" : "files");
  return text + orion_findings(report, style);
}

std::string orion_iops_csv(const OrionReport& report, OrionStyle style) {
  return heading(style, "Small I/Os a second.") +
         table(report, false, [](const OrionMeasurement& measured) {
           return fmt::format("{:7.0f}", measured.iops());
         });
}

std::string orion_mbps_csv(const OrionReport& report, OrionStyle style) {
  return heading(style, "Megabytes (2^20 bytes) a second of large I/Os.") +
         table(report, true, [](const OrionMeasurement& measured) {
           return fmt::format("{:7.2f}", measured.mbps());
         });
}

std::string orion_latency_csv(const OrionReport& report, OrionStyle style) {
  const double unit_ns = in_microseconds(style) ? 1e3 : 1e6;
  return heading(style, "Mean latency of small I/Os in microseconds.") +
         table(report, false, [&](const OrionMeasurement& measured) {
           return fmt::format("{:7.2f}", measured.mean_latency_ns() / unit_ns);
         });
}

std::string orion_histograms(const OrionReport& report) {
  std::string text;
  for (const OrionMeasuredPoint& point : report.points) {
    if (point.small.ios() > 0) text += histogram("Small", point.small, point) + "\n";
    if (point.large.ios() > 0) text += histogram("Large", point.large, point) + "\n";
  }
  return text;
}

}  // namespace rigel
