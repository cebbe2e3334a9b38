// Expected figures are those printed in the samples of RIGEL_TEST_DATA/orion, read by eye.
#include "traces/orion_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

std::string sample_path(const std::string& file) {
  return std::string{RIGEL_TEST_DATA} + "/orion/" + file;
}

std::vector<OrionRun> sample(const std::string& file) {
  const auto source = open_file(sample_path(file));
  return parse_orion_results(read_text(*source), file);
}

const LoadPoint& point_at(const LoadCurve& curve, double small, double large = 0) {
  for (const LoadPoint& point : curve.points) {
    if (point.outstanding == small && point.outstanding_large == large) return point;
  }
  throw Error{"no such point"};
}

TEST(OrionResults, VerboseLinesGiveEveryFigureOfThePoint) {
  const auto runs = sample("seed-3tb.txt");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].curve.points, SizeIs(27));
  const LoadPoint& point = point_at(runs[0].curve, 136);
  EXPECT_EQ(point.iops, 4254);
  EXPECT_DOUBLE_EQ(point.latency_ns, 31.97e6);
  EXPECT_DOUBLE_EQ(point.latency_error_ns, 5000);
  EXPECT_EQ(point.request_bytes, 8192);
  EXPECT_DOUBLE_EQ(point.bytes_per_second, 33.24 * 1048576);
  EXPECT_DOUBLE_EQ(point.duration_ns, 59.77e9);
  EXPECT_EQ(point.write_fraction, 0);
}

TEST(OrionResults, TheSmallLunsLadderEndsAt152) {
  const auto runs = sample("seed-512g.txt");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].curve.points, SizeIs(26));
  EXPECT_EQ(runs[0].curve.points.back().outstanding, 152);
  EXPECT_EQ(runs[0].curve.points.back().iops, 53775);
}

TEST(OrionResults, EveryVerbosePointObeysLittlesLawWithinItsRounding) {
  for (const char* file : {"seed-3tb.txt", "seed-512g.txt"}) {
    const std::vector<OrionRun> runs = sample(file);
    for (const LoadPoint& point : runs.at(0).curve.points) {
      const double low = (point.iops - 0.5) * (point.latency_ns - point.latency_error_ns) * 1e-9;
      const double high = (point.iops + 0.5) * (point.latency_ns + point.latency_error_ns) * 1e-9;
      EXPECT_LE(low, point.outstanding * 1.005) << file << " at " << point.outstanding;
      EXPECT_GE(high, point.outstanding * 0.98) << file << " at " << point.outstanding;
    }
  }
}

TEST(OrionResults, SummaryOfOneDiskHasSettingsLunsAndMaxima) {
  const auto runs = sample("summary-11.1-1disk.txt");
  ASSERT_THAT(runs, SizeIs(1));
  const OrionRun& run = runs[0];
  EXPECT_EQ(run.version, "11.1.0.7.0");
  EXPECT_EQ(run.command_line, "-run simple");
  EXPECT_EQ(run.test_name, "orion");
  EXPECT_EQ(run.small_bytes, 8192);
  EXPECT_EQ(run.large_bytes, 1048576);
  EXPECT_EQ(run.duration_ns, 60e9);
  EXPECT_EQ(run.total_points, 8U);
  EXPECT_THAT(run.large_ladder, ElementsAre(0, 1, 2));
  ASSERT_THAT(run.luns, SizeIs(1));
  EXPECT_EQ(run.luns[0].name, "/dev/vdb");
  EXPECT_EQ(run.luns[0].size_bytes, 21474836480U);
  const LoadPoint& best = point_at(run.curve, 5);
  EXPECT_EQ(best.iops, 19019);
  EXPECT_DOUBLE_EQ(best.latency_ns, 0.26e6);
  EXPECT_DOUBLE_EQ(point_at(run.curve, 0, 2).bytes_per_second, 1554.54 * 1048576);
}

TEST(OrionResults, LostSpacesChangeNothingAndASecondRunIsItsOwn) {
  const auto runs = sample("summary-11.1-8disk-spaces-lost.txt");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_THAT(runs[0].large_ladder, SizeIs(17));
  EXPECT_EQ(runs[0].total_points, 38U);
  EXPECT_EQ(point_at(runs[0].curve, 40).iops, 442);
  EXPECT_DOUBLE_EQ(point_at(runs[0].curve, 1).latency_ns, 14.62e6);
  EXPECT_EQ(runs[1].large_bytes, 8192);
  EXPECT_THAT(runs[1].command_line, HasSubstr("-size_large 8 -type rand"));
  EXPECT_THAT(runs[1].curve.points, IsEmpty());  // the sample ends within its settings
}

TEST(OrionResults, FourDisksOfVersion102) {
  const auto runs = sample("summary-10.2-4disk.txt");
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_THAT(runs[0].luns, SizeIs(4));
  EXPECT_EQ(runs[0].luns[1].size_bytes, 213893120U);
  EXPECT_EQ(point_at(runs[0].curve, 17).iops, 185);
  EXPECT_DOUBLE_EQ(point_at(runs[0].curve, 1).latency_ns, 7.45e6);
}

TEST(OrionResults, PublishedRunsUnderTheirCommandLinesAreSeparateRuns) {
  const auto runs = sample("seed-simple-advanced.txt");
  ASSERT_THAT(runs, SizeIs(3));
  // "Maximum Small Latency" is what these builds call the minimum.
  EXPECT_DOUBLE_EQ(point_at(runs[0].curve, 1).latency_ns, 8.92e6);
  EXPECT_EQ(point_at(runs[0].curve, 4).iops, 138);
  EXPECT_THAT(runs[1].command_line, HasSubstr("-num_streamIO 2"));
  EXPECT_DOUBLE_EQ(point_at(runs[1].curve, 0, 4).bytes_per_second, 27.85 * 1048576);
  EXPECT_EQ(point_at(runs[2].curve, 5).iops, 46);
}

TEST(OrionResults, ConsoleOf19cKeepsTheFailedAttemptAndTheHistogram) {
  const auto runs = sample("console-19c-6lun-histogram.txt");
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_THAT(runs[0].failure, HasSubstr("Failure in opening .lun file"));
  EXPECT_THAT(runs[0].curve.points, IsEmpty());
  const OrionRun& run = runs[1];
  EXPECT_EQ(run.failure, "");
  EXPECT_EQ(point_at(run.curve, 10).iops, 58778);
  EXPECT_DOUBLE_EQ(point_at(run.curve, 10).latency_ns, 169594);
  EXPECT_DOUBLE_EQ(point_at(run.curve, 2).latency_ns, 97677);
  ASSERT_THAT(run.latencies, SizeIs(2));
  EXPECT_DOUBLE_EQ(run.latencies[1].min_ns, 63652);
  EXPECT_DOUBLE_EQ(run.latencies[1].max_ns, 2133198);
  EXPECT_DOUBLE_EQ(run.latencies[1].stddev_ns, 47348);
  ASSERT_THAT(run.histogram, SizeIs(9));
  EXPECT_EQ(run.histogram[2].low_ns, 64000);
  EXPECT_EQ(run.histogram[2].high_ns, 128000);
  EXPECT_EQ(run.histogram[2].reads, 1112243U);
  EXPECT_EQ(run.histogram[2].writes, 0U);
}

TEST(OrionResults, TablesOfOneRunMergeIntoOneCurve) {
  const LoadCurve curve = read_load_curve(
      {sample_path("iops-11.1.csv"), sample_path("lat-11.1.csv"), sample_path("mbps-11.1.csv")});
  ASSERT_THAT(curve.points, SizeIs(7));
  const LoadPoint& point = point_at(curve, 3);
  EXPECT_EQ(point.iops, 5450);
  EXPECT_DOUBLE_EQ(point.latency_ns, 0.55e6);  // as printed, not 3/5450 s
  EXPECT_DOUBLE_EQ(point_at(curve, 0, 2).bytes_per_second, 374.26 * 1048576);
}

TEST(OrionResults, ALatencyTableAloneGivesThroughputByLittlesLaw) {
  const LoadCurve curve = read_load_curve({sample_path("lat-11.1.csv")});
  ASSERT_THAT(curve.points, SizeIs(5));
  EXPECT_NEAR(point_at(curve, 5).iops, 5 / 0.80e-3, 1e-6);
}

TEST(OrionResults, ControllerTotalsOfIostatAreLoads) {
  const auto runs = sample("seed-iostat-port.txt");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].curve.points, SizeIs(11));
  EXPECT_DOUBLE_EQ(runs[0].curve.points.front().outstanding, 0.8);
  EXPECT_DOUBLE_EQ(runs[0].curve.points.back().outstanding, 9.9);
  EXPECT_DOUBLE_EQ(runs[0].curve.points.back().iops, 104212.2);
}

TEST(OrionResults, EverySampleIsRead) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{sample_path("")}) {
    if (entry.path().filename() == "README.md") continue;
    EXPECT_THAT(read_load_curve({entry.path()}).points, testing::Not(IsEmpty())) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10U);
}

TEST(OrionResults, VerboseLinesSurviveLostSpacesAndCarriageReturns) {
  const auto runs = parse_orion_results(
      "ran (small):my 8 oth 2 iops 639 size 8K lat 12.51ms bw=4.99MBps dur 59.97s READ\r\n"
      "ran (large):my 2 oth 8 iops 30 size 1024 K lat 66.00 ms bw = 30.00 MBps dur 59.97 s "
      "READ\r\n",
      "pasted");
  ASSERT_THAT(runs, SizeIs(1));
  ASSERT_THAT(runs[0].curve.points, SizeIs(1));
  const LoadPoint& mixed = runs[0].curve.points[0];
  EXPECT_EQ(mixed.outstanding, 8);
  EXPECT_EQ(mixed.outstanding_large, 2);
  EXPECT_EQ(mixed.iops, 639);
  EXPECT_THAT(mixed.bytes_per_second, DoubleNear(34.99 * 1048576, 1));
}

TEST(OrionResults, ARepeatedLadderIsASecondRun) {
  const std::string ladder =
      "ran (small): my 1 oth 0 iops 121 size 8 K lat 8.25 ms bw = 0.95 MBps dur 59.99 s READ\n"
      "ran (small): my 2 oth 0 iops 211 size 8 K lat 9.43 ms bw = 1.66 MBps dur 59.98 s READ\n";
  EXPECT_THAT(parse_orion_results(ladder + ladder, "twice"), SizeIs(2));
}

TEST(OrionResults, ABrokenLineIsNamed) {
  EXPECT_THAT([] { (void)parse_orion_results("\nran (small): my 1 oth 0 iops\n", "cut.txt"); },
              ThrowsMessage<Error>(HasSubstr("cut.txt: line 2: no number after 'iops'")));
  EXPECT_THAT([] { (void)parse_orion_results("Maximum Small IOPS=5 @ Sm", "cut.txt"); },
              ThrowsMessage<Error>(HasSubstr("cut.txt: line 1: no number after '='")));
  EXPECT_THAT([] { (void)parse_orion_results("Large/Small, 1\n 0, 5, 6\n", "cut.csv"); },
              ThrowsMessage<Error>(HasSubstr("cut.csv: line 2: more cells than the header has")));
}

TEST(OrionResults, AFileOfSomethingElseIsRefused) {
  EXPECT_THAT([] { (void)parse_orion_results("root:x:0:0\n", "passwd"); },
              ThrowsMessage<Error>(HasSubstr("passwd: nothing of ORION's in it")));
  EXPECT_THAT([] { (void)read_load_curve({"/no/such/file"}); },
              ThrowsMessage<Error>(HasSubstr("/no/such/file")));
  EXPECT_THAT([] { (void)read_load_curve({"/"}); }, ThrowsMessage<Error>(HasSubstr("directory")));
}

}  // namespace
}  // namespace rigel
