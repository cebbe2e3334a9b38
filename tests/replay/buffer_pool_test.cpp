#include "replay/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace rigel {
namespace {

TEST(BufferPool, MemoryFollowsWhatIsInFlightNotTheLargestSize) {
  BufferPool pool{std::size_t{1} << 30, [](auto, auto, auto) {}};
  std::vector<BufferRef> small;
  for (int i = 0; i < 1000; ++i) small.push_back(pool.acquire(8192));
  const BufferRef large = pool.acquire(16U << 20);
  // 1000 x 8 KiB in chunks of 2 MiB, and the large one.
  EXPECT_EQ(pool.bytes(), (8U << 20) + (16U << 20));
  for (const BufferRef buffer : small) pool.release(buffer);
  pool.release(large);
  for (int i = 0; i < 1000; ++i) static_cast<void>(pool.acquire(8192));
  EXPECT_EQ(pool.bytes(), (8U << 20) + (16U << 20));
}

TEST(BufferPool, BuffersDoNotOverlapAndAreAligned) {
  BufferPool pool{std::size_t{1} << 30, [](auto, auto, auto) {}};
  std::map<std::byte*, std::size_t> places;
  for (const std::uint32_t length : {512U, 4096U, 5000U, 8192U, 65536U, 1U << 20, 3U << 20}) {
    for (int i = 0; i < 40; ++i) {
      const BufferRef buffer = pool.acquire(length);
      ASSERT_NE(buffer.id, BufferRef::kNone);
      std::byte* data = pool.data(buffer);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 4096, 0U);
      data[0] = data[length - 1] = std::byte{1};
      places[data] = length;
    }
  }
  EXPECT_EQ(places.size(), 280U);
  const std::byte* end = nullptr;
  for (const auto& [data, length] : places) {
    EXPECT_GE(data, end);
    end = data + length;
  }
}

TEST(BufferPool, StopsAtItsLimitAndGoesOnWhenSomethingComesBack) {
  BufferPool pool{std::size_t{2} << 20, [](auto, auto, auto) {}};
  const BufferRef first = pool.acquire(1U << 20);
  const BufferRef second = pool.acquire(1U << 20);
  EXPECT_NE(second.id, BufferRef::kNone);
  EXPECT_EQ(pool.acquire(1U << 20).id, BufferRef::kNone);
  pool.release(first);
  EXPECT_NE(pool.acquire(1U << 20).id, BufferRef::kNone);
  EXPECT_EQ(pool.acquire(BufferPool::kMaxBytes + 1).id, BufferRef::kNone);
}

}  // namespace
}  // namespace rigel
