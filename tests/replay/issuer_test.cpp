#include "replay/issuer.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "replay/replay_result.hpp"
#include "tests/replay/fake_engine.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kMs = 1'000'000;

PlannedIo read_at(std::int64_t due_ns, std::uint16_t target = 0) {
  PlannedIo io;
  io.due_ns = due_ns;
  io.length_bytes = 8192;
  io.target = target;
  return io;
}

// One issuer with everything around it; I/Os are queued before run().
class IssuerTest : public testing::Test {
 protected:
  void add(PlannedIo io) {
    while (queues_.size() <= io.target) queues_.push_back(std::make_unique<IoQueue>(4096));
    io.cell = table_.cell_of(io);
    ASSERT_EQ(queues_[io.target]->push({&io, 1}), 1U);
  }

  IssuerResult run(IssuerOptions options = {}) {
    activity_ = std::vector<TargetActivity>(queues_.size());
    std::vector<IssuerTarget> targets;
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      queues_[i]->close();
      targets.push_back({queues_[i].get(), &activity_[i], static_cast<std::uint16_t>(i)});
    }
    const DataPattern pattern{{}};
    Issuer issuer{targets, options, engine_, table_, pattern, clock_};
    return issuer.run(0);
  }

  std::vector<std::int64_t> issue_times() const {
    std::vector<std::int64_t> times;
    for (const auto& io : engine_.issued()) times.push_back(io.at_ns);
    return times;
  }

  FakeClock clock_;
  FakeEngine engine_{clock_};
  LatencyTable table_;
  std::vector<std::unique_ptr<IoQueue>> queues_;
  std::vector<TargetActivity> activity_;
};

TEST_F(IssuerTest, IssuesEveryIoOnceAtItsTime) {
  for (int i = 0; i < 1000; ++i) add(read_at(i * 50'000));
  const IssuerResult result = run({.spin = SpinMode::kAlways});
  EXPECT_EQ(result.issued, 1000U);
  EXPECT_EQ(result.completed, 1000U);
  EXPECT_EQ(result.completed_bytes, 1000U * 8192);
  ASSERT_EQ(engine_.issued().size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t slip = engine_.issued()[static_cast<std::size_t>(i)].at_ns - i * 50'000;
    EXPECT_GE(slip, 0) << i;
    EXPECT_LE(slip, 200) << i;
  }
  EXPECT_EQ(result.slip.count(), 1000U);
  EXPECT_LE(result.slip.max_ns(), 200);
  EXPECT_EQ(engine_.buffers_out(), 0U);
}

TEST_F(IssuerTest, OneLateIoDoesNotMoveThoseThatFollow) {
  for (int i = 0; i < 100; ++i) add(read_at(i * kMs));
  engine_.outcome = [this](const IoRequest&, std::int64_t at) {
    if (at >= 10 * kMs && at < 11 * kMs) clock_.advance_to(at + 5 * kMs);  // the host stands still
    return FakeEngine::Outcome{};
  };
  const IssuerResult result = run({.spin = SpinMode::kAlways});
  EXPECT_GE(result.slip.max_ns(), 4 * kMs - 10'000);
  EXPECT_NEAR(static_cast<double>(issue_times().back()), 99.0 * kMs, 1000);
  EXPECT_NEAR(static_cast<double>(result.last_issue_ns - result.first_issue_ns), 99.0 * kMs, 1000);
  EXPECT_EQ(result.delays.host, 4U);  // those due at 11, 12, 13, 14 ms; the one at 15 is 0 late
}

TEST_F(IssuerTest, TimerThatWakesLateIsMadeUpForBySpinning) {
  engine_.wake_up_late_ns = 70'000;
  for (int i = 0; i < 500; ++i) add(read_at(i * kMs));
  const IssuerResult result = run({.spin = SpinMode::kAuto});
  EXPECT_GT(engine_.sleeps(), 400U);
  EXPECT_LE(result.slip.quantile_ns(0.99), 500);
}

TEST_F(IssuerTest, NeverSpinningIsLateByTheTimerOnly) {
  engine_.wake_up_late_ns = 70'000;
  for (int i = 0; i < 500; ++i) add(read_at(i * kMs));
  const std::int64_t before = clock_.peek();
  const IssuerResult result = run({.spin = SpinMode::kNever});
  EXPECT_NEAR(static_cast<double>(result.slip.quantile_ns(0.5)), 70'000, 1000);
  EXPECT_GT(result.slept_ns, (clock_.peek() - before) * 95 / 100);
  EXPECT_NEAR(static_cast<double>(result.last_issue_ns), 499.0 * kMs, 80'000);
}

TEST_F(IssuerTest, ResponseTimeCountsFromTheIntendedIssue) {
  // One I/O at a time on a target that takes 10 ms, asked for every 5 ms: the queue grows.
  engine_.outcome = [](auto&, auto) { return FakeEngine::Outcome{10 * kMs}; };
  for (int i = 0; i < 20; ++i) add(read_at(i * 5 * kMs));
  const IssuerResult result = run({.depth = 1, .spin = SpinMode::kAlways});
  const LatencyCell& cell = *table_.cells().front();
  EXPECT_NEAR(static_cast<double>(cell.service.max_ns()), 10.0 * kMs, 0.1 * kMs);
  // The last: due at 95 ms, issued after 19 others, at 190 ms, complete at 200 ms.
  EXPECT_NEAR(static_cast<double>(cell.response.max_ns()), 105.0 * kMs, 1.0 * kMs);
  EXPECT_EQ(result.delays.depth_limit, 19U);
  EXPECT_EQ(result.most_outstanding, 1U);
}

TEST_F(IssuerTest, LackOfBuffersIsCountedAndSurvived) {
  engine_.buffers = 2;
  for (int i = 0; i < 50; ++i) add(read_at(0));
  const IssuerResult result = run({.spin = SpinMode::kAlways});
  EXPECT_EQ(result.completed, 50U);
  EXPECT_EQ(result.delays.buffers, 48U);
}

TEST_F(IssuerTest, DiscardsAndFlushesTakeNoBuffer) {
  engine_.buffers = 0;
  PlannedIo discard = read_at(0);
  discard.op = IoOp::kDiscard;
  PlannedIo flush = read_at(10);
  flush.op = IoOp::kFlush;
  flush.length_bytes = 0;
  add(discard);
  add(flush);
  const IssuerResult result = run();
  EXPECT_EQ(result.completed, 2U);
  EXPECT_EQ(result.short_transfers, 0U);
}

TEST_F(IssuerTest, FailuresAreCountedByErrnoAndEndNothing) {
  int n = 0;
  engine_.outcome = [&n](auto&, auto) {
    ++n;
    return FakeEngine::Outcome{1000, n % 10 == 0 ? -EIO : n % 10 == 1 ? 4096 : 0};
  };
  for (int i = 0; i < 100; ++i) add(read_at(i * 10'000));
  const IssuerResult result = run();
  EXPECT_EQ(result.completed, 100U);
  EXPECT_EQ(result.errors.at(EIO), 10U);
  EXPECT_EQ(result.short_transfers, 10U);
  EXPECT_EQ(result.completed_bytes, 80U * 8192 + 10U * 4096);
}

TEST_F(IssuerTest, ClosedLoopKeepsTheDepthOutstandingWhateverTheTimes) {
  engine_.outcome = [](auto&, auto) { return FakeEngine::Outcome{kMs}; };
  for (int i = 0; i < 4000; ++i) add(read_at(i * 1000 * kMs));
  const IssuerResult result = run({.timing = ReplayTiming::kFlatOut, .depth = 8});
  EXPECT_EQ(result.most_outstanding, 8U);
  const double seconds = static_cast<double>(result.last_complete_ns) / 1e9;
  // Little's law: 8 outstanding at 1 ms give 8,000 a second.
  EXPECT_NEAR(4000 / seconds, 8000, 80);
  EXPECT_NEAR(static_cast<double>(activity_[0].run_sum_ns) / static_cast<double>(clock_.peek()), 8,
              0.1);
}

TEST_F(IssuerTest, TargetsOfOneThreadKeepOneClock) {
  for (int i = 0; i < 300; ++i) {
    add(read_at(i * 100'000, static_cast<std::uint16_t>(i % 3)));
  }
  const IssuerResult result = run({.spin = SpinMode::kAlways});
  EXPECT_EQ(result.issued, 300U);
  EXPECT_EQ(result.reordered, 0U);
  EXPECT_LE(result.slip.max_ns(), 300);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(engine_.issued()[i].request.target, i % 3);
}

TEST_F(IssuerTest, StalledTargetDoesNotHoldUpTheOthers) {
  engine_.outcome = [](const IoRequest& io, std::int64_t) {
    return FakeEngine::Outcome{io.target == 0 ? 1000 * kMs : 10'000};
  };
  for (int i = 0; i < 200; ++i) add(read_at(i * kMs, static_cast<std::uint16_t>(i % 2)));
  const IssuerResult result = run({.depth = 4, .spin = SpinMode::kAuto});
  EXPECT_EQ(result.issued, 200U);
  EXPECT_GT(result.reordered, 0U);
  for (const auto& io : engine_.issued()) {
    if (io.request.target == 0) continue;
    EXPECT_LE(io.at_ns, 200 * kMs);
  }
}

TEST_F(IssuerTest, WarmUpIsIssuedButNotMeasured) {
  for (int i = 0; i < 100; ++i) add(read_at(i * kMs));
  const IssuerResult result = run({.spin = SpinMode::kAlways, .warm_up_ns = 60 * kMs});
  EXPECT_EQ(result.issued, 100U);
  EXPECT_EQ(result.measured, 40U);
  EXPECT_EQ(result.slip.count(), 40U);
  EXPECT_EQ(table_.cells().front()->service.count(), 40U);
}

TEST_F(IssuerTest, StopEndsIssuingAndWaitsForWhatIsInFlight) {
  std::atomic<bool> stop{false};
  engine_.outcome = [&stop](auto&, std::int64_t at) {
    if (at > 50 * kMs) stop = true;
    return FakeEngine::Outcome{3 * kMs};
  };
  for (int i = 0; i < 100; ++i) add(read_at(i * kMs));
  const IssuerResult result = run({.spin = SpinMode::kAlways, .stop = &stop});
  EXPECT_EQ(result.issued, 51U);
  EXPECT_EQ(result.completed, 51U);
  EXPECT_EQ(result.not_issued, 49U);
  EXPECT_EQ(result.abandoned, 0U);
}

TEST_F(IssuerTest, StopDoesNotWaitForeverForAStalledTarget) {
  std::atomic<bool> stop{false};
  engine_.outcome = [&stop](auto&, auto) {
    stop = true;
    return FakeEngine::Outcome{std::int64_t{3'600'000} * kMs};
  };
  add(read_at(0));
  const IssuerResult result = run({.stop = &stop});
  EXPECT_EQ(result.abandoned, 1U);
  EXPECT_LE(clock_.peek(), 2 * Issuer::kDrainAfterStopNs);
}

TEST_F(IssuerTest, DependentStreamsWaitForASlowTargetAndKeepTheirThinkTimes) {
  // Recorded: one at a time, 1 ms of thinking between; the target now takes 10 ms.
  engine_.outcome = [](auto&, auto) { return FakeEngine::Outcome{10 * kMs}; };
  for (int i = 0; i < 10; ++i) add(read_at(kMs));
  const IssuerResult result = run({.timing = ReplayTiming::kDependent, .spin = SpinMode::kAlways});
  EXPECT_EQ(result.most_outstanding, 1U);
  const auto& issued = engine_.issued();
  ASSERT_EQ(issued.size(), 10U);
  for (std::size_t i = 1; i < issued.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(issued[i].at_ns - issued[i - 1].done_ns), kMs, 1000) << i;
  }
  EXPECT_LE(result.slip.max_ns(), 1000);
}

TEST_F(IssuerTest, AFailureEndsTheReplayOnlyWhenAskedTo) {
  std::atomic<bool> failed{false};
  int n = 0;
  engine_.outcome = [&n](auto&, auto) { return FakeEngine::Outcome{1000, ++n == 5 ? -EIO : 0}; };
  for (int i = 0; i < 100; ++i) add(read_at(i * kMs));
  const IssuerResult result = run({.spin = SpinMode::kAlways, .failed = &failed});
  EXPECT_EQ(result.issued, 5U);
  EXPECT_EQ(result.first_error, EIO);
  EXPECT_TRUE(failed);
}

TEST_F(IssuerTest, EngineThatTakesNoMoreEndsTheReplay) {
  engine_.fail_submit = ENXIO;
  for (int i = 0; i < 10; ++i) add(read_at(i));
  EXPECT_EQ(run().engine_error, ENXIO);
}

}  // namespace
}  // namespace rigel
