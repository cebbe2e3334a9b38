#include "model/compare/fio_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

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

TEST(FioJob, FindsZipfsExponentAndSpanAgain) {
  for (const double theta : {0.6, 0.9, 1.2}) {
    const FioJob job = job_of({.records = 50'000, .zipf_exponent = theta});
    const std::string found = setting(job, "random_distribution");
    ASSERT_THAT(found, testing::StartsWith("zipf:")) << theta;
    EXPECT_NEAR(std::stod(found.substr(5)), theta, 0.1);
    EXPECT_NEAR(std::log(std::stod(setting(job, "size")) / (20'000 * 4096.0)), 0, 0.7) << theta;
    expect_fio_takes(job);
  }
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
  EXPECT_THAT(setting(zoned, "random_distribution"), testing::StartsWith("zoned:"));
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

// Counts of independent draws over 1,000 blocks, 10,000 of them: all are touched, and the hottest
// tenth of Poisson counts of mean 10 has 10 + 1.755 sqrt(10) on average (the mean of a standard
// normal's upper tenth), give or take the Poisson's skewness.
TEST(NearestZipf, KnowsThatChanceAloneMakesSomeBlocksHotter) {
  test::SyntheticWorkload workload{.records = 10'000, .pages = 1000, .seed = 4};
  const WorkloadProfile profile = test::profile_of(test::make_workload(workload));
  const PageHeatSnapshot& heat = profile.places.back().heat;
  EXPECT_NEAR(heat.top_shares[8], 0.1 * (10 + 1.755 * std::sqrt(10.0)) / 10, 0.01);
  const ZipfSpread spread = nearest_zipf(10'000, heat.distinct_pages, heat.top_shares);
  EXPECT_LE(spread.theta, 0.1);
  EXPECT_LT(spread.gap, 0.02);
}

}  // namespace
}  // namespace rigel
