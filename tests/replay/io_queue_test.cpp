#include "replay/io_queue.hpp"

#include <gtest/gtest.h>

#include <span>
#include <thread>
#include <vector>

namespace rigel {
namespace {

TEST(IoQueue, HandsEverythingOverInOrderBetweenTwoThreads) {
  IoQueue queue{64};
  constexpr std::uint32_t kCount = 200'000;
  std::thread producer{[&queue] {
    std::vector<PlannedIo> chunk;
    for (std::uint32_t i = 0; i < kCount;) {
      chunk.clear();
      for (std::uint32_t j = 0; j < 13 && i + j < kCount; ++j) {
        chunk.emplace_back();
        chunk.back().stream = i + j;
      }
      std::span<const PlannedIo> rest{chunk};
      while (!rest.empty()) {
        rest = rest.subspan(queue.push(rest));
        if (!rest.empty()) std::this_thread::yield();
      }
      i += static_cast<std::uint32_t>(chunk.size());
    }
    queue.close();
  }};
  std::uint32_t expected = 0;
  while (!queue.finished()) {
    const PlannedIo* io = queue.front();
    if (io == nullptr) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(io->stream, expected++);
    queue.pop();
  }
  producer.join();
  EXPECT_EQ(expected, kCount);
}

TEST(IoQueue, TakesNoMoreThanItHolds) {
  IoQueue queue{8};
  const std::vector<PlannedIo> ios(20);
  EXPECT_EQ(queue.push(ios), 8U);
  EXPECT_EQ(queue.push(ios), 0U);
  queue.pop();
  EXPECT_EQ(queue.push(ios), 1U);
}

}  // namespace
}  // namespace rigel
