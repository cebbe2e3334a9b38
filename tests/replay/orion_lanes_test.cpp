#include "replay/orion_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace rigel {
namespace {

class OrionLanesTest : public testing::Test {
 protected:
  OrionLanes lanes(OrionPoint point, OrionShare share, bool no_repeat = false) const {
    return {parameters_, volume_, point, share, 7, 1, no_repeat};
  }

  OrionParameters parameters_;
  OrionVolume volume_{{std::uint64_t{1} << 30}, 0};
};

TEST_F(OrionLanesTest, FewRandomIosStayOnOneThread) {
  for (const OrionPoint point : {OrionPoint{1, 0}, OrionPoint{8, 0}, OrionPoint{31, 0},
                                 OrionPoint{0, 31}, OrionPoint{16, 15}, OrionPoint{}}) {
    EXPECT_EQ(threads_of(parameters_, point, 64), 1U) << point.small << "/" << point.large;
  }
}

TEST_F(OrionLanesTest, ManyRandomIosAreSharedOutAmongTheCpus) {
  EXPECT_EQ(threads_of(parameters_, {32, 0}, 64), 2U);
  EXPECT_EQ(threads_of(parameters_, {24, 24}, 64), 3U);
  EXPECT_EQ(threads_of(parameters_, {640, 0}, 64), 40U);
  EXPECT_EQ(threads_of(parameters_, {640, 0}, 4), 4U);
  EXPECT_EQ(threads_of(parameters_, {640, 0}, 0), 1U);
}

TEST_F(OrionLanesTest, EveryStreamHasAThreadAsLongAsThereAreCpus) {
  parameters_.sequential = true;
  EXPECT_EQ(threads_of(parameters_, {0, 1}, 64), 1U);
  EXPECT_EQ(threads_of(parameters_, {0, 3}, 64), 3U);
  EXPECT_EQ(threads_of(parameters_, {8, 3}, 64), 3U);
  EXPECT_EQ(threads_of(parameters_, {64, 3}, 64), 4U);
  EXPECT_EQ(threads_of(parameters_, {0, 3}, 2), 2U);
}

TEST_F(OrionLanesTest, SharesAddUpToThePoint) {
  for (const bool sequential : {false, true}) {
    parameters_.sequential = sequential;
    for (const std::uint32_t threads : {1U, 2U, 3U, 7U}) {
      std::uint32_t small = 0;
      std::uint32_t all = 0;
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        const OrionLanes share = lanes({40, 5}, {thread, threads});
        all += share.size();
        for (std::uint32_t lane = 0; lane < share.size(); ++lane) small += share.is_small(lane);
      }
      const OrionLaneCount count = lanes_of(parameters_, {40, 5});
      EXPECT_EQ(count.large, sequential ? 20U : 5U);
      EXPECT_EQ(small, count.small);
      EXPECT_EQ(all, count.small + count.large);
    }
  }
}

TEST_F(OrionLanesTest, AStreamIsOneThreadsAndBeginsWhereItWouldOnASingleOne) {
  parameters_.sequential = true;
  parameters_.stream_io = 2;
  constexpr std::uint32_t kStreams = 5;
  OrionLanes single = lanes({0, kStreams}, {});
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    OrionLanes share = lanes({0, kStreams}, {thread, 2});
    for (std::uint32_t lane = 0; lane < share.size(); lane += 2) {
      const std::uint32_t same = (lane / 2 * 2 + thread) * 2;  // its stream's first lane
      for (std::uint32_t i = 0; i < 10; ++i) {
        EXPECT_EQ(share.next(lane + i % 2).offset_bytes, single.next(same).offset_bytes);
      }
    }
  }
}

TEST_F(OrionLanesTest, ThreadsOfAPointDrawBlocksOfTheirOwnAndTheSameAgain) {
  const OrionVolume volume{{std::uint64_t{3} << 40}, 0};
  const auto drawn = [&](std::uint32_t thread) {
    OrionLanes share{parameters_, volume, {32, 0}, {thread, 2}, 7, 1, false};
    std::vector<std::uint64_t> offsets;
    for (int i = 0; i < 10'000; ++i) offsets.push_back(share.next(0).offset_bytes);
    return offsets;
  };
  const std::vector<std::uint64_t> first = drawn(0);
  std::vector<std::uint64_t> both = drawn(1);
  EXPECT_EQ(first, drawn(0));
  both.insert(both.end(), first.begin(), first.end());
  const std::set<std::uint64_t> distinct{both.begin(), both.end()};
  // 2e4 draws of 4e8 blocks: half a pair by chance.
  EXPECT_GT(distinct.size(), both.size() - 5);
}

TEST_F(OrionLanesTest, WithoutRepeatThreadsShareTheBlocksOfAPass) {
  const OrionVolume volume{{std::uint64_t{1'009} * 8192}, 0};
  constexpr std::uint32_t kThreads = 3;
  for (const std::uint32_t pass : {0U, 1U}) {
    std::multiset<std::uint64_t> visited;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      OrionLanes share{parameters_, volume, {48, 0}, {thread, kThreads}, 7, 1, true};
      for (std::uint32_t turn = thread; turn < 1'009 * (pass + 1); turn += kThreads) {
        const std::uint64_t block = share.next(0).offset_bytes / 8192;
        if (turn >= 1'009 * pass) visited.insert(block);
      }
    }
    std::uint64_t expected = 0;
    for (const std::uint64_t block : visited) ASSERT_EQ(block, expected++) << "pass " << pass;
    EXPECT_EQ(expected, 1'009U);
  }
}

TEST_F(OrionLanesTest, WritesAreTheSameShareOnEveryThread) {
  parameters_.write_percent = 30;
  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    OrionLanes share = lanes({32, 0}, {thread, 2});
    int writes = 0;
    for (int i = 0; i < 100'000; ++i) writes += share.next(0).op == IoOp::kWrite ? 1 : 0;
    EXPECT_NEAR(writes, 30'000, 4 * 145);  // four standard deviations of 1e5 draws
  }
}

TEST_F(OrionLanesTest, OfStreamsAsManyWriteAsOnASingleThread) {
  parameters_.sequential = true;
  parameters_.write_percent = 40;
  int writes = 0;
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    OrionLanes share = lanes({0, 10}, {thread, 3});
    for (std::uint32_t lane = 0; lane < share.size(); lane += parameters_.stream_io) {
      writes += share.next(lane).op == IoOp::kWrite ? 1 : 0;
    }
  }
  EXPECT_EQ(writes, 4);
}

}  // namespace
}  // namespace rigel
