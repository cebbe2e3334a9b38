#include "replay/orion_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "tests/replay/fake_engine.hpp"
#include "tests/traces/memory_trace.hpp"

namespace rigel {
namespace {

class OrionRunnerTest : public testing::Test {
 protected:
  OrionRunnerTest() {
    parameters_.num_disks = 1;
    parameters_.duration_ns = 2'000'000'000;
    engine_.submit_ns = 100;
    engine_.outcome = [](const IoRequest&, std::int64_t) { return FakeEngine::Outcome{5'000'000}; };
  }

  OrionPointResult run(OrionPoint point, OrionRunOptions options = {}) {
    return OrionRunner{parameters_, volume_, engine(), clock_, pattern_, std::move(options)}
        .run_point(point, 1);
  }
  OrionRunner::MakeEngine engine() {
    return [this](std::uint32_t, std::uint32_t) -> IoEngine& { return engine_; };
  }

  OrionParameters parameters_;
  OrionVolume volume_{{std::uint64_t{1} << 30}, 0};
  FakeClock clock_;
  FakeEngine engine_{clock_};
  DataPattern pattern_{{}};
};

TEST_F(OrionRunnerTest, KeepsAsManyOutstandingAsThePointSays) {
  parameters_.duration_ns = 100'000'000;
  run({13, 3});
  EXPECT_EQ(engine_.most_outstanding(), 16);
  EXPECT_EQ(engine_.buffers_out(), 0U);
}

TEST_F(OrionRunnerTest, LittlesLawHoldsWithinAThousandthHoweverShortThePoint) {
  engine_.outcome = uneven;
  for (const std::int64_t seconds : {1, 20}) {
    parameters_.duration_ns = seconds * 1'000'000'000;
    for (const std::uint32_t load : {1U, 7U, 64U}) {
      const OrionMeasurement small = run({load, 0}).measured.small;
      EXPECT_NEAR(small.iops() * small.mean_latency_ns() / 1e9, load, 0.001 * load);
    }
  }
}

TEST_F(OrionRunnerTest, LongIosThatThePointsEndsCutAreNotLeftOut) {
  engine_.outcome = uneven;
  parameters_.duration_ns = 100'000'000;  // some three I/Os a lane
  const std::uint64_t blocks = volume_.slots(8192);
  double expected_ns = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    expected_ns +=
        static_cast<double>(uneven_latency_ns(block * 8192)) / static_cast<double>(blocks);
  }
  double latency_sum_ns = 0;
  double ios = 0;
  OrionRunner runner{parameters_, volume_, engine(), clock_, pattern_, {}};
  for (std::uint32_t number = 0; number < 50; ++number) {
    const OrionMeasurement small = runner.run_point({64, 0}, number).measured.small;
    latency_sum_ns += small.mean_latency_ns() * static_cast<double>(small.ios());
    ios += static_cast<double>(small.ios());
  }
  // Four standard errors of the mean of some 1e4 latencies, evenly between 1 and 61 ms.
  EXPECT_NEAR(latency_sum_ns / ios, expected_ns, 4 * 60e6 / std::sqrt(12 * ios));
}

TEST_F(OrionRunnerTest, MeasuresWhatTheDeviceTakes) {
  const OrionMeasurement small = run({4, 0}).measured.small;
  EXPECT_NEAR(small.mean_latency_ns(), 5e6, 5e3);
  EXPECT_NEAR(small.iops(), 800, 4);
  EXPECT_NEAR(small.mbps(), 800 * 8192 / 1048576.0, 0.05);
  EXPECT_EQ(small.writes.count(), 0U);
}

TEST_F(OrionRunnerTest, SequentialStreamsGoOnWhereTheyWere) {
  parameters_.sequential = true;
  parameters_.stream_io = 2;
  parameters_.raid0 = true;
  parameters_.duration_ns = 100'000'000;
  run({0, 1});
  const auto& issued = engine_.issued();
  ASSERT_GT(issued.size(), 10U);
  for (std::size_t i = 0; i < issued.size(); ++i) {
    EXPECT_EQ(issued[i].request.offset_bytes, i * parameters_.large_bytes);
  }
}

TEST_F(OrionRunnerTest, WritesItsShareAndNoneUnlessTold) {
  parameters_.write_percent = 30;
  const OrionMeasurement small = run({8, 0}).measured.small;
  const double share = static_cast<double>(small.writes.count()) / static_cast<double>(small.ios());
  EXPECT_NEAR(share, 0.3, 0.03);
}

TEST_F(OrionRunnerTest, FailedIosAreCountedAndNotMeasured) {
  engine_.outcome = [](const IoRequest& io, std::int64_t) {
    return FakeEngine::Outcome{5'000'000, io.offset_bytes % 16384 == 0 ? -EIO : 0};
  };
  const OrionPointResult result = run({4, 0});
  EXPECT_EQ(result.errors.size(), 1U);
  EXPECT_GT(result.errors.at(EIO), 100U);
  EXPECT_NEAR(result.measured.small.iops(), 400, 60);
}

TEST_F(OrionRunnerTest, AShortTransferIsAFailure) {
  engine_.outcome = [](const IoRequest&, std::int64_t) {
    return FakeEngine::Outcome{5'000'000, 512};
  };
  const OrionPointResult result = run({1, 0});
  EXPECT_EQ(result.measured.small.ios(), 0U);
  EXPECT_GT(result.errors.at(EIO), 0U);
}

TEST_F(OrionRunnerTest, AnEngineThatGivesUpEndsThePoint) {
  engine_.fail_submit = ENODEV;
  const OrionPointResult result = run({1, 0});
  EXPECT_EQ(result.errors.at(ENODEV), 1U);
}

TEST_F(OrionRunnerTest, WarmingEndsWhenTheCacheHasBeenFilled) {
  parameters_.sequential = true;
  parameters_.cache_bytes = 64U << 20;
  OrionRunner runner{parameters_, volume_, engine(), clock_, pattern_, {}};
  const OrionPointResult warm = runner.warm_cache(1);
  EXPECT_GE(warm.issued, 64U);
  EXPECT_LE(warm.issued, 68U);
}

TEST_F(OrionRunnerTest, EveryIoIsRecorded) {
  MemorySink sink;
  IoRecorder recorder{{.sink = &sink, .flush = {}, .add_streams = {}, .tables = {}}};
  OrionRunOptions options;
  options.recording = {&recorder.add_lane(5)};
  recorder.start(clock_.peek());
  const OrionPointResult result = run({5, 0}, options);
  recorder.finish();
  EXPECT_EQ(sink.records.size(), result.issued);
  for (const IoRecord& record : sink.records) {
    EXPECT_NEAR(static_cast<double>(record.complete_ns - record.issue_ns), 5e6, 5e3);
  }
}

TEST_F(OrionRunnerTest, AStopEndsThePointAndSaysSo) {
  std::atomic<bool> stop{true};
  OrionRunOptions options;
  options.stop = &stop;
  EXPECT_TRUE(run({5, 0}, options).stopped);
}

TEST_F(OrionRunnerTest, SecondsAddUpToWhatWasAnsweredInTime) {
  const OrionPointResult result = run({4, 0});
  std::uint64_t ios = 0;
  for (const OrionSecond& second : result.seconds) ios += second.ios;
  const auto answered = std::count_if(
      engine_.issued().begin(), engine_.issued().end(),
      [&](const FakeEngine::Issued& io) { return io.done_ns <= parameters_.duration_ns; });
  EXPECT_EQ(ios, static_cast<std::uint64_t>(answered));
  ASSERT_GE(result.seconds.size(), 2U);
  EXPECT_NEAR(static_cast<double>(result.seconds[1].ios), 800, 5);
}

}  // namespace
}  // namespace rigel
