#include "replay/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

namespace rigel {

namespace {
constexpr std::size_t kChunkBytes = std::size_t{2} << 20;  // a huge page: one entry to pin and map

// Aligned to kChunkBytes; nullptr when memory is short.
std::byte* map_aligned(std::size_t bytes) {
  const std::size_t mapped = bytes + kChunkBytes;
  void* address = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(address);
  const std::size_t skip =
      (kChunkBytes - reinterpret_cast<std::uintptr_t>(begin) % kChunkBytes) % kChunkBytes;
  if (skip != 0) munmap(begin, skip);
  munmap(begin + skip + bytes, kChunkBytes - skip);
  madvise(begin + skip, bytes, MADV_HUGEPAGE);
  return begin + skip;
}
}  // namespace

BufferPool::BufferPool(std::size_t limit_bytes, OnChunk on_chunk)
    : limit_bytes_(limit_bytes), on_chunk_(std::move(on_chunk)) {
  chunks_.reserve(kMaxChunks);
}

BufferPool::~BufferPool() {
  for (const Chunk& chunk : chunks_) munmap(chunk.data, chunk.bytes);
}

BufferRef BufferPool::acquire(std::uint32_t length_bytes) noexcept {
  if (length_bytes > kMaxBytes) return {};
  const unsigned size_class =
      std::max(kMinClass, static_cast<unsigned>(std::bit_width(std::max(length_bytes, 1U) - 1)));
  std::vector<std::uint32_t>& free = free_[size_class];
  if (free.empty() && !grow(size_class)) return {};
  const std::uint32_t id = free.back();
  free.pop_back();
  return {id};
}

void BufferPool::release(BufferRef buffer) noexcept {
  // There is room: grow() reserved it.
  free_[chunks_[chunk_of(buffer)].size_class].push_back(buffer.id);
}

std::byte* BufferPool::data(BufferRef buffer) const noexcept {
  const Chunk& chunk = chunks_[chunk_of(buffer)];
  return chunk.data + (std::size_t{buffer.id & ((1U << kIndexBits) - 1)} << chunk.size_class);
}

bool BufferPool::grow(unsigned size_class) noexcept {
  const std::size_t size = std::size_t{1} << size_class;
  const std::size_t bytes = std::max(kChunkBytes, size);
  if (chunks_.size() == kMaxChunks || bytes_ + bytes > limit_bytes_) return false;
  std::byte* data = map_aligned(bytes);
  if (data == nullptr) return false;
  const auto index = static_cast<std::uint32_t>(chunks_.size());
  const std::size_t count = bytes / size;
  std::size_t total = count;
  for (const Chunk& chunk : chunks_) {
    if (chunk.size_class == size_class) total += chunk.bytes / size;
  }
  try {
    std::vector<std::uint32_t>& free = free_[size_class];
    free.reserve(total);
    on_chunk_(index, data, bytes);
    chunks_.push_back({data, bytes, size_class});
    for (std::size_t i = count; i-- > 0;) {
      free.push_back((index << kIndexBits) | static_cast<std::uint32_t>(i));
    }
  } catch (const std::exception&) {
    munmap(data, bytes);
    return false;
  }
  bytes_ += bytes;
  return true;
}

}  // namespace rigel
