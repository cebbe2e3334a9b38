// Points of an ORION run that several threads issue, each with a fake engine and a fake clock of
// its own: what they did does not depend on how they were scheduled.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "replay/orion_runner.hpp"
#include "tests/replay/fake_engine.hpp"
#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// What time it is depends on who asks.
class ClockOfThread final : public ReplayClock {
 public:
  static inline thread_local FakeClock* own = nullptr;
  std::int64_t now_ns() noexcept override { return own != nullptr ? own->now_ns() : 0; }
};

class OrionThreadsTest : public testing::Test {
 protected:
  struct Issuer {
    FakeClock clock;
    FakeEngine engine{clock};
  };

  OrionThreadsTest() {
    parameters_.num_disks = 1;
    parameters_.duration_ns = 1'000'000'000;
    options_.cpus = 4;
  }

  OrionRunner runner() {
    const auto make = [this](std::uint32_t thread, std::uint32_t) -> IoEngine& {
      auto issuer = std::make_unique<Issuer>();
      issuer->engine.submit_ns = 100;
      issuer->engine.outcome = uneven;
      issuer->engine.on_attach = [clock = &issuer->clock] { ClockOfThread::own = clock; };
      if (prepare_) prepare_(thread, issuer->engine);
      EXPECT_EQ(thread, issuers_.size());
      issuers_.push_back(std::move(issuer));
      return issuers_.back()->engine;
    };
    return {parameters_, volume_, make, clock_, pattern_, options_};
  }

  OrionParameters parameters_;
  OrionVolume volume_{{std::uint64_t{1} << 30}, 0};
  ClockOfThread clock_;
  DataPattern pattern_{{}};
  OrionRunOptions options_;
  std::function<void(std::uint32_t, FakeEngine&)> prepare_;
  std::vector<std::unique_ptr<Issuer>> issuers_;
};

TEST_F(OrionThreadsTest, TogetherKeepAsManyOutstandingAsThePointSays) {
  (void)runner().run_point({50, 0}, 1);
  EXPECT_EQ(issuers_.size(), 3U);
  int most_of_all = 0;
  for (const auto& issuer : issuers_) {
    EXPECT_EQ(issuer->engine.buffers_out(), 0U);
    most_of_all += issuer->engine.most_outstanding();
  }
  EXPECT_EQ(most_of_all, 50);
}

TEST_F(OrionThreadsTest, LittlesLawHoldsOfTheMergedFiguresWithinAThousandth) {
  for (const std::uint32_t load : {33U, 64U, 200U}) {
    issuers_.clear();
    const OrionMeasurement small = runner().run_point({load, 0}, 1).measured.small;
    EXPECT_GT(issuers_.size(), 1U);
    EXPECT_NEAR(small.iops() * small.mean_latency_ns() / 1e9, load, 0.001 * load);
  }
}

TEST_F(OrionThreadsTest, LittlesLawHoldsOfEachKindWhereStreamsRunBesideRandomIos) {
  parameters_.sequential = true;
  const OrionMeasuredPoint point = runner().run_point({10, 3}, 1).measured;
  EXPECT_EQ(issuers_.size(), 3U);
  EXPECT_NEAR(point.small.iops() * point.small.mean_latency_ns() / 1e9, 10, 0.01);
  EXPECT_NEAR(point.large.iops() * point.large.mean_latency_ns() / 1e9, 12, 0.012);
}

TEST_F(OrionThreadsTest, FiguresAreThoseOfAllThreads) {
  const OrionPointResult result = runner().run_point({64, 0}, 1);
  std::uint64_t issued = 0;
  std::uint64_t answered_in_time = 0;
  double latency_sum_ns = 0;
  for (const auto& issuer : issuers_) {
    for (const FakeEngine::Issued& io : issuer->engine.issued()) {
      ++issued;
      if (io.done_ns > parameters_.duration_ns) continue;
      ++answered_in_time;
      latency_sum_ns += static_cast<double>(io.done_ns - io.at_ns);
    }
  }
  EXPECT_EQ(result.issued, issued);
  EXPECT_EQ(result.random_small_reads, issued);
  ASSERT_EQ(result.seconds.size(), 1U);
  EXPECT_EQ(result.seconds[0].ios, answered_in_time);
  EXPECT_EQ(result.seconds[0].bytes, answered_in_time * 8192);
  // Issue times are those of the batch, some microseconds before.
  EXPECT_NEAR(static_cast<double>(result.seconds[0].latency_sum_ns) / latency_sum_ns, 1, 0.001);
}

TEST_F(OrionThreadsTest, EveryIoIsRecordedOnceInOrderOfIssue) {
  MemorySink sink;
  IoRecorder recorder{{.sink = &sink, .flush = {}, .add_streams = {}, .tables = {}}};
  for (int i = 0; i < 4; ++i) options_.recording.push_back(&recorder.add_lane(40));
  recorder.start(0);
  const OrionPointResult result = runner().run_point({40, 0}, 1);
  recorder.finish();
  EXPECT_EQ(issuers_.size(), 2U);
  EXPECT_EQ(sink.records.size(), result.issued);
  EXPECT_EQ(recorder.out_of_order(), 0U);
  for (const IoRecord& record : sink.records) {
    const auto expected = static_cast<double>(uneven_latency_ns(record.offset_bytes));
    ASSERT_NEAR(static_cast<double>(record.complete_ns - record.issue_ns), expected, 1e5);
  }
}

TEST_F(OrionThreadsTest, AnEngineThatGivesUpEndsThePointForAllThreads) {
  parameters_.duration_ns = 3'600'000'000'000'000;
  prepare_ = [](std::uint32_t thread, FakeEngine& engine) {
    if (thread == 1) engine.fail_submit = ENODEV;
  };
  const OrionPointResult result = runner().run_point({64, 0}, 1);
  EXPECT_EQ(result.errors.at(ENODEV), 1U);
}

TEST_F(OrionThreadsTest, AThreadThatCannotStartLeavesNoIoAndNoThreadBehind) {
  prepare_ = [](std::uint32_t thread, FakeEngine& engine) {
    if (thread == 2) engine.on_attach = [] { throw Error{"io_uring: not permitted"}; };
  };
  OrionRunner refused = runner();
  EXPECT_THROW((void)refused.run_point({64, 0}, 1), Error);
  for (const auto& issuer : issuers_) EXPECT_TRUE(issuer->engine.issued().empty());
}

TEST_F(OrionThreadsTest, AnEngineThatCannotBeMadeEndsTheThreadsThatWaitForIt) {
  prepare_ = [](std::uint32_t thread, FakeEngine&) {
    if (thread == 3) throw Error{"out of memory"};
  };
  OrionRunner refused = runner();
  EXPECT_THROW((void)refused.run_point({64, 0}, 1), Error);
  for (const auto& issuer : issuers_) EXPECT_TRUE(issuer->engine.issued().empty());
}

TEST_F(OrionThreadsTest, AStopEndsThePointOnEveryThread) {
  std::atomic<bool> stop{true};
  options_.stop = &stop;
  const OrionPointResult result = runner().run_point({64, 0}, 1);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.issued, 0U);
}

}  // namespace
}  // namespace rigel
