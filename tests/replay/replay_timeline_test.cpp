#include "replay/replay_timeline.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rigel {
namespace {

ActivityCounts issued(std::uint64_t count, std::uint64_t worst_slip_ns,
                      std::uint64_t in_flight = 0) {
  ActivityCounts counts;
  counts.issued = count;
  counts.wait_sum_ns = count * worst_slip_ns;
  counts.worst_slip_ns = worst_slip_ns;
  counts.in_flight = in_flight;
  return counts;
}

TEST(ReplayTimeline, SumsUpTheTargetsOfAnInterval) {
  ReplayTimeline timeline{100};
  timeline.add(0, 100, std::array{issued(3, 7, 1), issued(4, 2, 5)});
  ASSERT_EQ(timeline.cells().size(), 1U);
  const ReplayTimeline::Cell& cell = timeline.cells()[0];
  EXPECT_EQ(cell.span_ns, 100);
  EXPECT_EQ(cell.counts.issued, 7U);
  EXPECT_EQ(cell.counts.wait_sum_ns, 3U * 7 + 4U * 2);
  EXPECT_EQ(cell.counts.worst_slip_ns, 7U);
  EXPECT_EQ(cell.counts.in_flight, 6U);
}

TEST(ReplayTimeline, TimeThatNobodyLookedAtIsNotKnown) {
  ReplayTimeline timeline{100};
  timeline.add(0, 350, std::array{issued(9, 1)});  // a host that stood still
  timeline.add(350, 400, std::array{issued(2, 1)});
  ASSERT_EQ(timeline.cells().size(), 4U);
  EXPECT_EQ(timeline.cells()[0].span_ns, 350);
  EXPECT_EQ(timeline.cells()[1].span_ns, 0);
  EXPECT_EQ(timeline.cells()[2].span_ns, 0);
  EXPECT_EQ(timeline.cells()[3].counts.issued, 2U);
}

TEST(ReplayTimeline, ALongRunHasLongerIntervalsAndLosesNothing) {
  ReplayTimeline timeline{100};
  constexpr std::int64_t kSamples = 10'000;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    timeline.add(i * 100, (i + 1) * 100, std::array{issued(1, static_cast<std::uint64_t>(i))});
  }
  EXPECT_EQ(timeline.interval_ns(), 100 * 32);  // the least power of two that leaves 512 of them
  ASSERT_EQ(timeline.cells().size(), 313U);     // 10,000 / 32, rounded up
  std::uint64_t total = 0;
  for (const ReplayTimeline::Cell& cell : timeline.cells()) total += cell.counts.issued;
  EXPECT_EQ(total, 10'000U);
  EXPECT_EQ(timeline.cells()[0].span_ns, 3200);
  EXPECT_EQ(timeline.cells()[0].counts.worst_slip_ns, 31U);
  EXPECT_EQ(timeline.cells()[312].counts.issued, 10'000U - 312 * 32);
  EXPECT_EQ(timeline.cells()[312].counts.worst_slip_ns, 9999U);
}

}  // namespace
}  // namespace rigel
