// Memory for I/O in flight, pooled by size class: powers of two from 4 KiB to 64 MiB, each grown a
// chunk at a time, so that memory follows what is in flight and not (largest size) x (depth).
// The last buffer given back is the next one handed out, which keeps few of them in use.
// Buffers are aligned to their size, up to a chunk's 2 MiB. One thread; nothing throws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "replay/io_engine.hpp"

namespace rigel {

class BufferPool {
 public:
  static constexpr std::uint32_t kMaxBytes = 64U << 20;
  static constexpr std::size_t kMaxChunks = 1024;

  // `on_chunk(index, data, bytes)` hears of every chunk when it is made.
  using OnChunk = std::function<void(std::uint32_t, std::byte*, std::size_t)>;
  BufferPool(std::size_t limit_bytes, OnChunk on_chunk);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // None when the limit is reached, memory is short or `length_bytes` is over kMaxBytes.
  [[nodiscard]] BufferRef acquire(std::uint32_t length_bytes) noexcept;
  void release(BufferRef buffer) noexcept;
  [[nodiscard]] std::byte* data(BufferRef buffer) const noexcept;
  [[nodiscard]] static std::uint32_t chunk_of(BufferRef buffer) { return buffer.id >> kIndexBits; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr unsigned kIndexBits = 16;
  static constexpr unsigned kMinClass = 12;
  static constexpr unsigned kMaxClass = 26;
  struct Chunk {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    unsigned size_class = 0;
  };
  [[nodiscard]] bool grow(unsigned size_class) noexcept;

  std::size_t limit_bytes_;
  OnChunk on_chunk_;
  std::size_t bytes_ = 0;
  std::vector<Chunk> chunks_;
  std::array<std::vector<std::uint32_t>, kMaxClass + 1> free_;
};

}  // namespace rigel
