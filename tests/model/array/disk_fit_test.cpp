// Disks whose parameters are known because they were simulated, and real ones, against the figures
// that DiskSim's authors state for their own model of each (DiskSim 4.0, valid/runvalid).
#include "model/array/disk_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "model/array/disk_bank.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Demerit, IsTheDistanceBetweenTheCurves) {
  EXPECT_DOUBLE_EQ(demerit_ns({3, 1, 2}, {1, 2, 3}), 0);
  EXPECT_DOUBLE_EQ(demerit_ns({10, 20}, {13, 23}), 3) << "shifted by 3";
  // Half of the curve is 4 apart, half not at all.
  EXPECT_DOUBLE_EQ(demerit_ns({10, 20}, {10, 24}), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(demerit_ns({10, 10, 20, 20}, {10, 20}), 0) << "of different numbers";
}

// Reads at random places, a third of the time the block that follows.
std::vector<DiskRequest> requests_of(std::uint64_t span, std::size_t count, bool writes) {
  std::mt19937_64 random{1};
  std::vector<DiskRequest> requests;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    DiskRequest request;
    request.length_bytes = 2048U << (random() % 4);
    request.write = writes && random() % 4 == 0;
    request.offset_bytes = random() % 3 == 0 ? next : random() % (span >> 11) << 11;
    // Long enough for a write to be on the platter before the next request.
    request.idle_ns = 35'000'000 + static_cast<std::int64_t>(30e6 * unit_interval(random));
    next = request.offset_bytes + request.length_bytes;
    requests.push_back(request);
  }
  return requests;
}

TEST(DiskFit, FindsASimulatedDiskAgain) {
  ArrayConfig truth;
  truth.raid.stripe_bytes = 16 << 20;
  DiskConfig& disk = truth.disks;
  disk.law = ServiceLaw::kMechanical;
  disk.bytes = 4ULL << 30;
  disk.rpm = 7200;
  disk.bytes_per_second = 10e6;
  disk.seek_single_ns = 1'000'000;
  disk.seek_average_ns = 8'000'000;
  disk.seek_full_ns = 16'000'000;
  disk.overhead_ns = 1'000'000;
  disk.write_overhead_ns = 500'000;
  disk.heads = 8;
  disk.buffer_segments = 3;
  disk.buffer_segment_bytes = 128 << 10;
  disk.buffer_time_ns = 300'000;
  disk.interface_bytes_per_second = 20e6;
  disk.write_buffer = true;
  std::vector<DiskRequest> requests = requests_of(4ULL << 30, 6000, true);
  const std::vector<std::int64_t> times = simulated_responses(truth, requests, 1);
  for (std::size_t i = 0; i < times.size(); ++i) requests[i].response_ns = times[i];

  const DiskFit fit = fit_disk(requests);
  const DiskConfig& found = fit.array.disks;
  EXPECT_EQ(found.rpm, 7200);
  EXPECT_TRUE(found.write_buffer);
  EXPECT_NEAR(found.bytes_per_second, 10e6, 1e6);
  EXPECT_NEAR(found.interface_bytes_per_second, 20e6, 0.2e6);
  EXPECT_NEAR(static_cast<double>(found.buffer_time_ns), 300e3, 5e3);
  EXPECT_NEAR(static_cast<double>(*found.write_overhead_ns), 500e3, 5e3);
  EXPECT_NEAR(static_cast<double>(found.seek_average_ns + found.overhead_ns), 9e6, 0.2e6);
  EXPECT_NEAR(static_cast<double>(found.seek_full_ns + found.overhead_ns), 17e6, 0.5e6);
  // As good as the better half of the figures published for models of real disks.
  EXPECT_LT(fit.demerit_ns, 0.04 * fit.mean_ns);
}

struct Published {
  const char* disk;
  double demerit_ms;
};
class RealDisk : public testing::TestWithParam<Published> {};

TEST_P(RealDisk, IsModelledNoWorseThanPublishedOnWhatItWasNotFittedTo) {
  const auto source =
      open_trace({std::string{RIGEL_TEST_DATA} + "/traces/disksim_" + GetParam().disk + ".trace"});
  const std::vector<DiskRequest> requests = disk_requests(*source);
  ASSERT_GE(requests.size(), 9984U);
  const DiskFit fit = fit_disk(requests);
  EXPECT_EQ(fit.fitted + fit.judged, requests.size());
  EXPECT_LE(fit.demerit_ns, GetParam().demerit_ms * 1e6);
}

INSTANTIATE_TEST_SUITE_P(DiskSim, RealDisk,
                         testing::Values(Published{"atlas10k", 0.268},
                                         Published{"barracuda", 0.349},
                                         Published{"cheetah4LP", 0.318},
                                         Published{"hp_c2490a", 0.254}),
                         [](const auto& test) { return std::string{test.param.disk}; });

TEST(DiskFit, TooFewRequestsAndThoseThatWaitInAQueueAreRefused) {
  EXPECT_THAT([] { (void)fit_disk(requests_of(1 << 30, 900, false)); },
              ThrowsMessage<Error>(HasSubstr("at least 1000")));
  const auto queued = open_trace({std::string{RIGEL_TEST_DATA} + "/traces/mqsim_tpcc-small.trace"});
  EXPECT_THAT([&] { (void)disk_requests(*queued); },
              ThrowsMessage<Error>(HasSubstr("response times")));
}

}  // namespace
}  // namespace rigel
