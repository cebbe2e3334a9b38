// How I/O reaches a target and comes back: io_uring in UringEngine, a fake in the tests.
// An engine belongs to one issuing thread: attach() and everything after it is called there.
// Between attach() and the end nothing throws; failures come back as completions or codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "traces/io_record.hpp"

namespace rigel {

// A buffer of an engine's pool. Reads, writes and nothing else need one.
struct BufferRef {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t id = kNone;
};

struct IoRequest {
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  std::uint32_t flags = 0;  // io_flag bits
  std::uint32_t slot = 0;   // comes back in the completion
  BufferRef buffer;
  std::uint16_t target = 0;
  IoOp op = IoOp::kRead;
};

struct IoCompletion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;  // bytes moved, or a negative errno
};

class IoEngine {
 public:
  virtual ~IoEngine() = default;

  // Makes the calling thread the one that issues. Throws Error.
  virtual void attach() = 0;

  // A buffer for `length_bytes`, or none when memory is at its limit.
  [[nodiscard]] virtual BufferRef acquire_buffer(std::uint32_t length_bytes) noexcept = 0;
  virtual void release_buffer(BufferRef buffer) noexcept = 0;
  [[nodiscard]] virtual std::byte* buffer_data(BufferRef buffer) noexcept = 0;

  // Adds to what the next submit() hands over; at most kMaxBatch between two.
  static constexpr unsigned kMaxBatch = 64;
  virtual void prepare(const IoRequest& request) noexcept = 0;
  // Hands over all that was prepared, then waits until `wait_for` completions are there or
  // `timeout_ns` has passed (wait_for 0: does not wait; a negative timeout: without limit).
  // 0, or a negative errno when the kernel took nothing for a lasting reason.
  virtual int submit(unsigned wait_for, std::int64_t timeout_ns) noexcept = 0;
  // True when reap() would return something. Cheap: for a spinning loop.
  [[nodiscard]] virtual bool completion_ready() noexcept = 0;
  virtual std::size_t reap(std::span<IoCompletion> into) noexcept = 0;
};

}  // namespace rigel
