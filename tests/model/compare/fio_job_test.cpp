#include "model/compare/fio_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "model/compare/heat_zones.hpp"
#include "tests/model/compare/synthetic_workload.hpp"
#include "tests/scratch_folder.hpp"

namespace rigel {
namespace {

std::string setting(const FioJob& job, const std::string& name) {
  for (const auto& [key, value] : job.settings) {
    if (key == name) return value;
  }
  return "(none)";
}

FioJob job_of(const test::SyntheticWorkload& workload) {
  return *fio_job_of(test::profile_of(test::make_workload(workload)));
}

// fio itself says whether it takes a job.
void expect_fio_takes(const FioJob& job) {
  const ScratchFolder folder;
  std::ofstream{folder.file("job.fio")} << fio_job_text(job, "a trace");
  EXPECT_EQ(std::system(("fio --parse-only " + folder.file("job.fio")).c_str()), 0)
      << fio_job_text(job, "a trace");
}

TEST(FioJob, FollowsMixSizesRateAndPlaces) {
  const FioJob job = job_of({.records = 50'000});
  EXPECT_EQ(setting(job, "rw"), "randrw");
  EXPECT_THAT(setting(job, "rwmixread"), testing::AnyOf("69", "70", "71"));
  EXPECT_EQ(setting(job, "bssplit"), "4096/100");
  EXPECT_EQ(setting(job, "random_distribution"), "random");
  EXPECT_EQ(setting(job, "rate_process"), "poisson");
  // 20,000 pages of 4 KiB, of which 50,000 requests touch 92 %.
  EXPECT_NEAR(std::stod(setting(job, "size")) / (20'000 * 4096.0), 1, 0.05);
  EXPECT_NEAR(std::stod(setting(job, "rate_iops")), 700, 15);
  EXPECT_NEAR(std::stod(setting(job, "runtime")), 50, 2);
  // M/G/inf with 2 on average and the arrival itself: 99 % find at most 2 + 4 or so.
  EXPECT_NEAR(std::stod(setting(job, "iodepth")), 7, 1);
  expect_fio_takes(job);
}

// Of "zoned_abs:percent/bytes:…", in pages of 4 KiB.
std::vector<HeatZone> zones_in(const std::string& distribution) {
  std::istringstream text{distribution.substr(distribution.find(':') + 1)};
  std::vector<HeatZone> zones;
  double percent = 0;
  double bytes = 0;
  char sign = 0;
  while (text >> percent >> sign >> bytes) {
    zones.push_back({bytes / 4096, percent / 100});
    text >> sign;
  }
  return zones;
}

TEST(FioJob, ZonesAZipfWorkloadAndNamesItsExponent) {
  for (const double theta : {0.6, 0.9, 1.2}) {
    const WorkloadProfile profile =
        test::profile_of(test::make_workload({.records = 50'000, .zipf_exponent = theta}));
    const FioJob job = *fio_job_of(profile);
    const std::string distribution = setting(job, "random_distribution");
    ASSERT_THAT(distribution, testing::StartsWith("zoned_abs:")) << theta;
    // As many requests of fio's touch as many pages, and are spread over them alike.
    const std::vector<HeatZone> zones = zones_in(distribution);
    const PageHeatSnapshot& heat = profile.places.back().heat;
    EXPECT_NEAR(expected_distinct(zones, 50'000) / heat.distinct_pages, 1, 0.05) << theta;
    EXPECT_LT(largest_gap(expected_curve(zones, 50'000), heat.top_shares), 0.05) << theta;
    double pages = 0;
    double share = 0;
    for (const HeatZone& zone : zones) {
      pages += zone.pages;
      share += zone.share;
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_EQ((pages + 1) * 4096, std::stod(setting(job, "size")));  // a request beyond the last
    const std::string note = testing::PrintToString(job.notes);
    const std::size_t exponent = note.find("with exponent ");
    ASSERT_NE(exponent, std::string::npos) << note;
    EXPECT_NEAR(std::stod(note.substr(exponent + 14)), theta, 0.1);
    expect_fio_takes(job);
  }
}

// Of a partition that begins at an odd sector, where 8 KiB lie on three pages.
TEST(FioJob, KeepsWhatIsNotAligned) {
  std::vector<IoRecord> records = test::make_workload({.records = 20'000, .bytes = 8192});
  EXPECT_EQ(setting(*fio_job_of(test::profile_of(records)), "blockalign"), "8192");
  for (IoRecord& record : records) record.offset_bytes += 63 * 512;
  EXPECT_EQ(setting(*fio_job_of(test::profile_of(records)), "blockalign"), "512");
}

// A job reads and writes as far apart as the trace does.
TEST(FioJob, TellsSequentialReadsFromRandomWrites) {
  std::vector<IoRecord> records = test::make_workload({.records = 20'000, .write_share = 0});
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i % 2 == 0) {
      records[i].offset_bytes = (std::uint64_t{1} << 30) + i / 2 * 4096;
    } else {
      records[i].op = IoOp::kWrite;
    }
  }
  const FioJob job = *fio_job_of(test::profile_of(records));
  // Some reads are not told as going on: writes lie between them and what they go on from.
  const std::string random = setting(job, "percentage_random");
  EXPECT_LT(std::stoi(random), 20) << random;
  EXPECT_THAT(random, testing::EndsWith(",100"));
  EXPECT_THAT(job.notes, testing::Contains(testing::HasSubstr("share their zones")));
  expect_fio_takes(job);
}

TEST(FioJob, CoversNoMoreThanThereIs) {
  std::vector<IoRecord> records = test::make_workload({.records = 10'000, .write_share = 0});
  for (std::size_t i = 0; i < records.size(); ++i) records[i].offset_bytes = i * 4096;
  const FioJob sequential = *fio_job_of(test::profile_of(records));
  EXPECT_EQ(setting(sequential, "rw"), "read");
  EXPECT_EQ(setting(sequential, "size"), "40960000");
  for (IoRecord& record : records) record.offset_bytes = 8192;
  const FioJob one_page = *fio_job_of(test::profile_of(records));
  EXPECT_EQ(setting(one_page, "size"), "4096");
  expect_fio_takes(one_page);
}

// fio's rates are whole numbers from 1 on: one I/O a minute is a pause of a minute.
TEST(FioJob, KeepsSlowRates) {
  const FioJob slow = job_of({.records = 2000, .iops = 1.0 / 60});
  EXPECT_EQ(setting(slow, "rate_iops"), "(none)");
  EXPECT_NEAR(std::stod(setting(slow, "thinktime")), 60e6, 5e6);
  EXPECT_EQ(setting(slow, "iodepth"), "1");
  expect_fio_takes(slow);
  // 20 a second, of which 3 in a hundred are writes: none of them is rounded up to 1.
  EXPECT_NEAR(std::stod(setting(job_of({.iops = 20, .write_share = 0.03}), "thinktime")), 50e3,
              3e3);
}

TEST(FioJob, WritesWhatFioTakesWhateverTheWorkload) {
  std::vector<IoRecord> records = test::make_workload({});
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].offset_bytes = i * 8192;
    records[i].length_bytes = i % 5 == 0 ? 700 : 8192;
    records[i].op = IoOp::kWrite;
    records[i].complete_ns = kNoTime;
  }
  const FioJob sequential = *fio_job_of(test::profile_of(records));
  EXPECT_EQ(setting(sequential, "bssplit"), "512/20:8192/80");
  EXPECT_THAT(sequential.notes, testing::Contains(testing::HasSubstr("no completions")));
  expect_fio_takes(sequential);
  // Half of the requests to one page, half to a thousand others: no exponent does that.
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].offset_bytes = i % 2 == 0 ? 0 : 8192 * (1 + i * 7919 % 1000);
    records[i].length_bytes = i % 3 == 0 ? 4096 : 8192;
    records[i].op = i % 3 == 0 ? IoOp::kRead : IoOp::kWrite;
    records[i].queue_ns = records[i].issue_ns = kNoTime;
  }
  const FioJob zoned = *fio_job_of(test::profile_of(records));
  // One page gets a little more than half, as the mean request is of one and a half.
  EXPECT_THAT(setting(zoned, "random_distribution"), testing::StartsWith("zoned_abs:"));
  EXPECT_THAT(zoned.notes, testing::Contains(testing::HasSubstr("no times")));
  expect_fio_takes(zoned);
  EXPECT_FALSE(fio_job_of(test::profile_of({})).has_value());
}

TEST(OrionOptions, AreForRandomIoOfOneSizeOnly) {
  const auto options = [](const test::SyntheticWorkload& workload) {
    return orion_options_of(test::profile_of(test::make_workload(workload)));
  };
  ASSERT_TRUE(options({.records = 50'000, .bytes = 8192}));
  EXPECT_EQ(*options({.records = 50'000, .write_share = 0, .bytes = 8192}),
            "-run advanced -testname rigel -num_disks 1 -matrix point -num_small 2 -num_large 0 "
            "-size_small 8");
  EXPECT_THAT(*options({.records = 50'000, .write_share = 0.3, .bytes = 8192}),
              testing::HasSubstr(" -write 30"));
  EXPECT_FALSE(options({.records = 50'000, .zipf_exponent = 1}));
}

}  // namespace
}  // namespace rigel
