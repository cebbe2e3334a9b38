// Right values: times added up by hand for single I/Os, exact queueing theory (queueing_test.cpp
// ties that to the literature) for many.
#include "model/array/array_simulator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/array/analytic.hpp"
#include "model/array/queueing.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kMs = 1'000'000;

// 100 us of link, 20 us of controller, 180 us for a hit, 8 ms for a disk: nothing random.
ArrayConfig plain() {
  ArrayConfig config;
  config.link.latency_ns = 100 * kUs;
  config.controller.time_ns = 20 * kUs;
  config.cache.bytes = 1 << 20;
  config.cache.hit_time_ns = 180 * kUs;
  config.disks.law = ServiceLaw::kConstant;
  config.disks.count = 4;
  config.disks.time_ns = 8 * kMs;
  return config;
}

std::vector<ArrayCompletion> run(ArraySimulator& array) {
  std::vector<ArrayCompletion> all;
  ArrayCompletion completion;
  while (array.next_completion(ArraySimulator::kNever, completion)) all.push_back(completion);
  return all;
}

TEST(ArraySimulator, AMissTakesLinkControllerAndDiskAndTheNextReadIsAHit) {
  ArraySimulator array{plain(), 1};
  array.submit(0, {0, 8192, false}, 7);
  auto done = run(array);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].tag, 7U);
  EXPECT_FALSE(done[0].hit);
  EXPECT_EQ(done[0].finish_ns, 100 * kUs + 20 * kUs + 8 * kMs);
  array.submit(10 * kMs, {0, 8192, false}, 8);
  done = run(array);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_TRUE(done[0].hit);
  EXPECT_EQ(done[0].finish_ns - done[0].start_ns, 300 * kUs);
}

TEST(ArraySimulator, ReadsOfOneDiskQueueAndOfSeveralDoNot) {
  ArrayConfig config = plain();
  config.cache.bytes = 0;
  config.controller.time_ns = 0;
  ArraySimulator array{config, 1};
  const std::uint64_t stripe = config.raid.stripe_bytes;
  array.submit(0, {0, 8192, false}, 0);
  array.submit(0, {4 * stripe, 8192, false}, 1);  // the same disk
  array.submit(0, {1 * stripe, 8192, false}, 2);  // another
  const auto done = run(array);
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[0].tag, 0U);
  EXPECT_EQ(done[1].tag, 2U);
  EXPECT_EQ(done[1].finish_ns, 8 * kMs + 100 * kUs);
  EXPECT_EQ(done[2].tag, 1U);
  EXPECT_EQ(done[2].finish_ns, 16 * kMs + 100 * kUs);
}

TEST(ArraySimulator, ALinkServesTransfersInTurn) {
  ArrayConfig config = plain();
  config.link.bytes_per_second = 8192e4;  // 100 us for 8 KiB
  ArraySimulator array{config, 1};
  array.warm({0, 16384, false});
  array.submit(0, {0, 8192, false}, 0);
  array.submit(0, {8192, 8192, false}, 1);
  const auto done = run(array);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].finish_ns, 50 * kUs + 20 * kUs + 180 * kUs + 100 * kUs + 50 * kUs);
  // Its 20 us in the only core are hidden behind the other's 100 us on the link.
  EXPECT_EQ(done[1].finish_ns, done[0].finish_ns + 100 * kUs);
}

TEST(ArraySimulator, WriteBackAnswersFromTheCacheAndDestagesBehind) {
  ArraySimulator array{plain(), 1};
  array.submit(0, {0, 8192, true}, 0);
  ArrayCompletion done;
  ASSERT_TRUE(array.next_completion(ArraySimulator::kNever, done));
  EXPECT_TRUE(done.hit);
  EXPECT_EQ(done.finish_ns, 300 * kUs);
  EXPECT_FALSE(array.next_completion(ArraySimulator::kNever, done));  // the destage ends unseen
  EXPECT_EQ(array.counters().disk_ios, 1U);
  EXPECT_EQ(array.counters().destaged_pages, 1U);
  EXPECT_EQ(array.cache().dirty_pages(), 0U);
}

TEST(ArraySimulator, WriteThroughWaitsForThePenaltyOfItsRaidLevel) {
  const auto disk_ios = [](unsigned level, std::int64_t& latency_ns) {
    ArrayConfig config = plain();
    config.cache.write_back = false;
    config.controller.time_ns = 0;
    config.link.latency_ns = 0;
    config.raid.level = level;
    ArraySimulator array{config, 1};
    array.submit(0, {0, 8192, true}, 0);
    ArrayCompletion done;
    EXPECT_TRUE(array.next_completion(ArraySimulator::kNever, done));
    latency_ns = done.finish_ns;
    return array.counters().disk_ios;
  };
  std::int64_t latency_ns = 0;
  EXPECT_EQ(disk_ios(0, latency_ns), 1U);
  EXPECT_EQ(latency_ns, 8 * kMs);
  EXPECT_EQ(disk_ios(10, latency_ns), 2U);
  EXPECT_EQ(latency_ns, 8 * kMs);  // both at once
  EXPECT_EQ(disk_ios(5, latency_ns), 4U);
  EXPECT_EQ(latency_ns, 16 * kMs);  // read, then write
  EXPECT_EQ(disk_ios(6, latency_ns), 6U);
  EXPECT_EQ(latency_ns, 16 * kMs);
}

TEST(ArraySimulator, SustainedWritesRunAtTheDisksPace) {
  ArrayConfig config = plain();
  config.cache.bytes = 64 * 8192;
  ArraySimulator array{config, 1};
  PatternOptions options;
  options.span_bytes = 1ULL << 34;
  options.write_fraction = 1;
  AccessPattern writes{options};
  std::int64_t now_ns = 0;
  const LoadResult result = run_closed(
      array, [&] { return writes.next(); }, {.outstanding = 16, .ios = 4000}, now_ns);
  // 4 disks of 8 ms, RAID 0; chance leaves one of them idle at times.
  EXPECT_LE(result.iops, 4 / 8e-3 * 1.01);
  EXPECT_GE(result.iops, 4 / 8e-3 * 0.9);
}

TEST(ArraySimulator, ALaterEvictionOfADirtyPageMakesTheReadWait) {
  ArrayConfig config = plain();
  config.cache.bytes = 8192;  // one page
  config.disks.count = 1;
  config.controller.time_ns = 0;
  config.link.latency_ns = 0;
  ArraySimulator array{config, 1};
  array.submit(0, {0, 8192, true}, 0);              // destage of page 0 begins at once: 8 ms
  array.submit(kMs, {81920, 8192, true}, 1);        // dirty until the disk is free: no writer left
  array.submit(2 * kMs, {819200, 8192, false}, 2);  // must write page 10 out, then read
  const auto done = run(array);
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[2].tag, 2U);
  EXPECT_EQ(done[2].finish_ns, 24 * kMs);
}

TEST(ArraySimulator, TheSameSeedGivesTheSameRun) {
  const auto last = [](std::uint64_t seed) {
    ArrayConfig config = plain();
    config.disks.law = ServiceLaw::kExponential;
    ArraySimulator array{config, seed};
    PatternOptions options;
    options.span_bytes = 1 << 30;
    AccessPattern reads{options};
    std::int64_t now_ns = 0;
    (void)run_closed(
        array, [&] { return reads.next(); }, {.outstanding = 8, .ios = 2000}, now_ns);
    return now_ns;
  };
  EXPECT_EQ(last(3), last(3));
  EXPECT_NE(last(3), last(4));
}

TEST(ArraySimulator, AgreesWithExactQueueingTheoryWhereItsAssumptionsHold) {
  ArrayConfig config = load_array_config("disks32-96g");
  config.link.bytes_per_second = 0;
  config.controller.law = ServiceLaw::kExponential;
  config.controller.time_ns = 60 * kUs;
  config.controller.cores = 2;
  config.cache.bytes = 64ULL << 20;
  PatternOptions options;
  options.span_bytes = 256ULL << 20;  // a quarter hits
  AccessPattern reads{options};
  ArraySimulator array{config, 5};
  warm_up(array, reads, 1'000'000);
  const double hit_ratio = uniform_hit_ratio(64, 256);
  const auto exact = solve_closed(stations_of(config, {.hit_ratio = hit_ratio}), 160);
  std::int64_t now_ns = 0;
  for (const unsigned n : {1U, 8U, 32U, 128U, 160U}) {
    const LoadResult measured = run_closed(
        array, [&] { return reads.next(); }, {.outstanding = n, .ios = 100'000}, now_ns);
    const NetworkResult& wanted = exact[n - 1];
    // 100,000 I/Os: a standard error of some 0.3 % of the mean.
    EXPECT_NEAR(measured.iops, wanted.throughput, 0.012 * wanted.throughput) << n;
    EXPECT_NEAR(measured.latency.mean_ns() * 1e-9, wanted.response_s, 0.012 * wanted.response_s);
    EXPECT_NEAR(measured.hit_ratio, hit_ratio, 0.006) << n;
    EXPECT_NEAR(measured.parts[3].utilisation, wanted.stations[4].utilisation, 0.015) << n;
    EXPECT_NEAR(measured.parts[2].utilisation, wanted.stations[3].utilisation, 0.015) << n;
  }
}

TEST(ArraySimulator, LittlesLawHoldsAtEveryLoad) {
  ArraySimulator array{load_array_config("sas10k-32"), 1};
  PatternOptions options;
  options.span_bytes = 3ULL << 40;
  AccessPattern reads{options};
  std::int64_t now_ns = 0;
  for (const unsigned n : {1U, 16U, 160U}) {
    const LoadResult result = run_closed(
        array, [&] { return reads.next(); }, {.outstanding = n, .ios = 20'000}, now_ns);
    EXPECT_NEAR(result.iops * result.latency.mean_ns() * 1e-9, n, 0.02 * n);
  }
}

TEST(ArraySimulator, ThirtyTwoDisksOfEightMillisecondsNeverReadMoreThanFourThousandASecond) {
  ArrayConfig config = load_array_config("disks32-96g");
  config.cache.bytes = 0;
  ArraySimulator array{config, 1};
  PatternOptions options;
  options.span_bytes = 3ULL << 40;
  AccessPattern reads{options};
  std::int64_t now_ns = 0;
  const LoadResult result = run_closed(
      array, [&] { return reads.next(); }, {.outstanding = 160, .ios = 100'000}, now_ns);
  EXPECT_LT(result.iops, 4000 * 1.005);
  EXPECT_EQ(result.bottleneck().part, "disks");
}

TEST(ArraySimulator, ParallelUnitsServeAtOnce) {
  ArrayConfig config = plain();
  config.cache.bytes = 0;
  config.controller.time_ns = 0;
  config.disks.count = 1;
  config.disks.units = 4;
  ArraySimulator array{config, 1};
  for (std::uint32_t i = 0; i < 5; ++i) array.submit(0, {0, 8192, false}, i);
  const auto done = run(array);
  ASSERT_EQ(done.size(), 5U);
  EXPECT_EQ(done[3].finish_ns, 8 * kMs + 100 * kUs);
  EXPECT_EQ(done[4].finish_ns, 16 * kMs + 100 * kUs);
}

// A front in real time hears of an I/O late: it counts from when it came, and the disk that was
// idle then serves it from when it was last done.
TEST(ArraySimulator, AnIoThatIsHeardOfLateCountsFromWhenItCame) {
  for (const ServiceLaw law : {ServiceLaw::kConstant, ServiceLaw::kMechanical}) {
    ArrayConfig config = plain();
    config.cache.bytes = 0;
    config.disks.count = 1;
    config.disks.law = law;
    config.disks.bytes_per_second = 100e6;
    ArraySimulator array{config, 1};
    array.submit(0, {0, 8192, false}, 0);
    const auto first = run(array);
    ASSERT_EQ(first.size(), 1U);
    const std::int64_t at_disk = first[0].finish_ns - 50 * kUs;
    array.submit(at_disk - 90 * kUs, {0, 8192, false}, 1);
    const auto second = run(array);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].start_ns, at_disk - 90 * kUs);
    EXPECT_GT(second[0].finish_ns, first[0].finish_ns);
    if (law == ServiceLaw::kConstant) {
      EXPECT_EQ(second[0].finish_ns - second[0].start_ns,
                first[0].finish_ns - first[0].start_ns + 20 * kUs);
    }
  }
}

TEST(ArraySimulator, NothingIsReadInNoTime) {
  ArraySimulator array{plain(), 1};
  EXPECT_THROW(array.submit(0, {0, 0, false}, 0), UsageError);
  EXPECT_EQ(array.next_ns(), ArraySimulator::kNever);
}

}  // namespace
}  // namespace rigel
