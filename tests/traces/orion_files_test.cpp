#include "traces/orion_files.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "traces/orion_results.hpp"

namespace rigel {
namespace {

// A published file of ORION's own, byte by byte.
std::string sample(const char* name) {
  std::ifstream file{std::string{RIGEL_TEST_DATA} + "/orion/" + name};
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>{file}, {}};
}

OrionMeasurement measurement(double iops, double latency_ms, std::uint64_t request_bytes) {
  OrionMeasurement result;
  result.request_bytes = request_bytes;
  result.seconds = 100;
  result.reads.add(static_cast<std::int64_t>(latency_ms * 1e6 + 0.5),
                   static_cast<std::uint64_t>(iops * 100 + 0.5));
  return result;
}

// The run of iops-11.1.csv, lat-11.1.csv and mbps-11.1.csv.
OrionReport published_run() {
  OrionReport report;
  report.tool = "11.1.0.7.0";
  report.command_line = "-run simple";
  report.test_name = "orion";
  report.small_bytes = 8192;
  report.large_bytes = 1 << 20;
  report.duration_seconds = 60;
  report.basic_matrix = true;
  report.small_columns = {0, 1, 2, 3, 4, 5};
  report.large_columns = {0, 1, 2};
  report.total_points = 8;
  report.minutes = 9;
  report.luns = {{"/dev/vdb", 21474836480}};
  const double iops[] = {2302, 4398, 5450, 6006, 6210};
  const double latency[] = {0.43, 0.45, 0.55, 0.67, 0.80};
  for (std::uint32_t i = 0; i < 5; ++i) {
    OrionMeasuredPoint point;
    point.small_outstanding = i + 1;
    point.small = measurement(iops[i], latency[i], 8192);
    report.points.push_back(point);
  }
  const double mbps[] = {271.58, 374.26};
  for (std::uint32_t i = 0; i < 2; ++i) {
    OrionMeasuredPoint point;
    point.large_outstanding = i + 1;
    point.large = measurement(mbps[i], 3, 1 << 20);
    report.points.push_back(point);
  }
  return report;
}

TEST(OrionFiles, TablesAreThoseOfOrion111ByteByByte) {
  const OrionReport report = published_run();
  EXPECT_EQ(orion_iops_csv(report, OrionStyle::k111), sample("iops-11.1.csv"));
  EXPECT_EQ(orion_latency_csv(report, OrionStyle::k111), sample("lat-11.1.csv"));
  EXPECT_EQ(orion_mbps_csv(report, OrionStyle::k111), sample("mbps-11.1.csv"));
}

// summary-11.1-1disk.txt is of another run: its figures are put in place of this one's.
TEST(OrionFiles, TheSummaryIsThatOfOrion111ByteByByte) {
  OrionReport report = published_run();
  report.points.clear();
  OrionMeasuredPoint small;
  small.small_outstanding = 5;
  small.small = measurement(19019, 0.26, 8192);
  OrionMeasuredPoint large;
  large.large_outstanding = 2;
  large.large = measurement(1554.54, 1, 1 << 20);
  report.points = {small, large};
  EXPECT_EQ(orion_summary(report, OrionStyle::k111), sample("summary-11.1-1disk.txt"));
}

TEST(OrionFiles, VerboseLinesAreThoseOfThePublishedRuns) {
  std::istringstream lines{sample("seed-3tb.txt")};
  std::string first;
  std::getline(lines, first);
  OrionMeasuredPoint point;
  point.small_outstanding = 1;
  point.small.request_bytes = 8192;
  point.small.seconds = 59.99;
  point.small.reads.add(8'250'000, 7259);  // 121 a second
  EXPECT_EQ(orion_verbose_lines(point), first + "\n");
}

// The histogram of the 19c console, fed with latencies inside its buckets.
TEST(OrionFiles, TheHistogramIsThatOf19cByteByByte) {
  const std::string console = sample("console-19c-6lun-histogram.txt");
  OrionReport report = published_run();
  report.points.clear();
  OrionMeasuredPoint point;
  point.small_outstanding = 2;
  const std::pair<std::int64_t, std::uint64_t> buckets[] = {
      {50, 1}, {100, 1112243}, {200, 102320}, {400, 5434}, {800, 405}, {1500, 259}, {2500, 2}};
  for (const auto& [us, count] : buckets) point.small.reads.add(us * 1000, count);
  report.points.push_back(point);
  const std::string ours = orion_histograms(report);
  const std::string published = console.substr(console.find("Small Read / Write Latency"));
  EXPECT_EQ(ours, published + "\n");
}

TEST(OrionFiles, The19cConsoleOpensAsPublished) {
  OrionReport report = published_run();
  report.tool = "RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417";
  report.minutes = 44;
  const std::string console = sample("console-19c-6lun-histogram.txt");
  const std::size_t second_run = console.rfind("ORION: ORacle IO Numbers");
  const std::string opening =
      orion_console_opening(report, OrionStyle::k19c, "bmtfile-acfs_20211113_1809");
  EXPECT_EQ(opening, console.substr(second_run, opening.size()));
}

TEST(OrionFiles, WhatIsWrittenIsReadBack) {
  const OrionReport report = published_run();
  for (const OrionStyle style : {OrionStyle::k111, OrionStyle::k112, OrionStyle::k19c}) {
    const OrionRun summary = parse_orion_results(orion_summary(report, style), "summary").front();
    EXPECT_EQ(summary.test_name, "orion");
    EXPECT_EQ(summary.command_line, "-run simple");
    EXPECT_EQ(summary.small_bytes, 8192);
    EXPECT_EQ(summary.duration_ns, 60e9);
    EXPECT_EQ(summary.total_points, 8U);
    EXPECT_EQ(summary.luns.at(0).size_bytes, 21474836480U);

    const OrionRun latency = parse_orion_results(orion_latency_csv(report, style), "lat").front();
    ASSERT_EQ(latency.curve.points.size(), 5U);
    EXPECT_NEAR(latency.curve.points[4].latency_ns, 800e3, 6e3);
    const OrionRun iops = parse_orion_results(orion_iops_csv(report, style), "iops").front();
    EXPECT_EQ(iops.curve.points.at(2).iops, 5450);
    const OrionRun mbps = parse_orion_results(orion_mbps_csv(report, style), "mbps").front();
    EXPECT_NEAR(mbps.curve.points.at(1).bytes_per_second, 374.26 * 1048576, 1e4);
  }
}

TEST(OrionFiles, ARunOfOnePointHasItsFigureInTheLastCellOfTheLastLine) {
  OrionReport report = published_run();
  report.small_columns = {3};
  report.large_columns = {0};
  const std::string csv = orion_iops_csv(report, OrionStyle::k111);
  EXPECT_EQ(csv, "Large/Small,      3\n          0,   5450\n");
}

TEST(OrionFiles, WhatWasNotMeasuredHasNoLine) {
  OrionReport report = published_run();
  report.points.erase(report.points.begin(), report.points.begin() + 5);
  const std::string findings = orion_findings(report, OrionStyle::k111);
  EXPECT_EQ(findings, "Maximum Large MBPS=374.26 @ Small=0 and Large=2\n");
}

TEST(OrionFiles, ACellThatWasNotRunBeforeOneThatWasIsBlank) {
  OrionReport report = published_run();
  report.points.erase(report.points.begin());
  const std::string csv = orion_iops_csv(report, OrionStyle::k111);
  EXPECT_NE(csv.find("          0,       ,   4398,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace rigel
