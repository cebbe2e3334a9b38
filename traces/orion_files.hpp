// Writes the files that ORION leaves behind, so that what reads those can read rigel's:
// <test>_YYYYMMDD_HHMM_{summary.txt,iops.csv,mbps.csv,lat.csv,trace.txt,hist.txt}, and its console
// text. Layouts are those of public runs: 11.1; 11.2, whose tables begin with a text header and
// whose latencies are microseconds; and 19c, which adds decimals. orion_results.hpp reads them
// back. Pure functions; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/latency_histogram.hpp"
#include "traces/orion_results.hpp"

namespace rigel {

enum class OrionStyle : std::uint8_t { k111, k112, k19c };

// The small or the large I/Os of one point.
struct OrionMeasurement {
  LatencyHistogram reads;
  LatencyHistogram writes;
  std::uint64_t request_bytes = 0;
  double seconds = 0;  // that were measured

  [[nodiscard]] std::uint64_t ios() const { return reads.count() + writes.count(); }
  [[nodiscard]] double iops() const;
  [[nodiscard]] double mbps() const;  // ORION's MB: 2^20 bytes
  [[nodiscard]] double mean_latency_ns() const;
};

struct OrionMeasuredPoint {
  std::uint32_t small_outstanding = 0;
  std::uint32_t large_outstanding = 0;  // with sequential I/O: streams
  OrionMeasurement small;
  OrionMeasurement large;
};

struct OrionReport {
  std::string tool;          // "rigel 0.1.0"
  std::string command_line;  // without the program's name
  std::string test_name;
  std::uint64_t small_bytes = 0;
  std::uint64_t large_bytes = 0;
  bool sequential = false;
  std::uint32_t stream_io = 0;
  std::uint64_t stripe_bytes = 0;  // 0: LUNs one behind the other
  std::uint32_t write_percent = 0;
  std::optional<std::uint64_t> cache_bytes;
  double duration_seconds = 0;
  bool basic_matrix = false;  // two ladders, of which the summary names the second
  std::vector<std::uint32_t> small_columns;
  std::vector<std::uint32_t> large_columns;
  std::uint64_t total_points = 0;
  std::uint64_t minutes = 0;
  std::vector<OrionLun> luns;
  std::vector<OrionMeasuredPoint> points;  // only those that were run
};

// "ran (small): my 1 oth 0 iops 121 size 8 K lat 8.25 ms bw = 0.95 MBps dur 59.99 s READ", and such
// a line for the large I/Os; none for what the point did not have.
[[nodiscard]] std::string orion_verbose_lines(const OrionMeasuredPoint& point);

// What ORION says before the first point. `run_name` is "<test>_YYYYMMDD_HHMM".
[[nodiscard]] std::string orion_console_opening(const OrionReport& report, OrionStyle style,
                                                std::string_view run_name);
// "Maximum Large MBPS=…" and the lines after it, each where it was measured.
[[nodiscard]] std::string orion_findings(const OrionReport& report, OrionStyle style);
[[nodiscard]] std::string orion_summary(const OrionReport& report, OrionStyle style);

[[nodiscard]] std::string orion_iops_csv(const OrionReport& report, OrionStyle style);
[[nodiscard]] std::string orion_mbps_csv(const OrionReport& report, OrionStyle style);
[[nodiscard]] std::string orion_latency_csv(const OrionReport& report, OrionStyle style);
[[nodiscard]] std::string orion_histograms(const OrionReport& report);

}  // namespace rigel
