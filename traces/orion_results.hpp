// Reads what ORION itself prints and writes: verbose progress lines, *_summary.txt, *_iops.csv,
// *_lat.csv, *_mbps.csv, histograms and the console text, of versions 10.2 to 19c; and the
// controller lines of `iostat -xn`, which are often kept beside them. White space is taken as
// optional everywhere, since much of what is around went through web pages and mail.
// The layout is described by samples only; see tests/traces/orion_results_test.cpp.
// Pure functions; they throw Error naming the file and the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/load_curve.hpp"

namespace rigel {

struct OrionLun {
  std::string name;
  std::uint64_t size_bytes = 0;
};

// Latencies of one point in more detail than its mean (11.2 and later).
struct OrionLatency {
  double outstanding = 0;
  double outstanding_large = 0;
  bool writes = false;
  double mean_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  double stddev_ns = 0;
};

struct OrionHistogramBucket {
  double low_ns = 0;
  double high_ns = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
};

// One run of ORION: what it was told, and what it found.
struct OrionRun {
  std::string version;
  std::string command_line;
  std::string test_name;
  double small_bytes = 0;  // 0 when the output does not say
  double large_bytes = 0;
  double duration_ns = 0;
  double write_percent = 0;
  std::vector<double> small_ladder;
  std::vector<double> large_ladder;
  std::uint64_t total_points = 0;
  std::vector<OrionLun> luns;
  std::vector<OrionLatency> latencies;
  std::vector<OrionHistogramBucket> histogram;
  std::string failure;  // ORION's own words, when it gave up
  LoadCurve curve;      // by rising load; only what the text says, nothing derived
};

// Every run in the text, in order; at least one. A text without any figure of ORION's is refused.
[[nodiscard]] std::vector<OrionRun> parse_orion_results(std::string_view text,
                                                        const std::string& name);

}  // namespace rigel
