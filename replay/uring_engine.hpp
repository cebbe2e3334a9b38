// The IoEngine of a real replay: one io_uring with registered files and buffers.
//
// SINGLE_ISSUER and DEFER_TASKRUN are used where the kernel has them (6.1), then COOP_TASKRUN
// (5.19), then neither; buffers that cannot be registered (RLIMIT_MEMLOCK) are used unregistered.
// Whatever had to be done without is in notes(). Neither IOPOLL (completions are looked for instead
// of announced by interrupts; only drivers with polled queues can) nor SQPOLL (a kernel thread
// takes submissions, and a CPU of its own) is used: neither has been measured on a device that
// could gain by it. Made on any thread, then used by the one that calls attach(), which throws
// Error when io_uring is not to be had. The targets must outlive it.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "replay/buffer_pool.hpp"
#include "replay/io_engine.hpp"
#include "replay/target.hpp"

namespace rigel {

struct UringOptions {
  std::uint32_t max_in_flight = 4096;
  std::size_t buffer_limit_bytes = std::size_t{1} << 30;
  int spinning_cpu = -1;  // kernel workers are kept off this CPU; -1: anywhere
};

class UringEngine final : public IoEngine {
 public:
  UringEngine(std::span<const Target> targets, const UringOptions& options);
  ~UringEngine() override;
  UringEngine(const UringEngine&) = delete;
  UringEngine& operator=(const UringEngine&) = delete;

  void attach() override;
  [[nodiscard]] BufferRef acquire_buffer(std::uint32_t length_bytes) noexcept override;
  void release_buffer(BufferRef buffer) noexcept override;
  [[nodiscard]] std::byte* buffer_data(BufferRef buffer) noexcept override;
  void prepare(const IoRequest& request) noexcept override;
  int submit(unsigned wait_for, std::int64_t timeout_ns) noexcept override;
  [[nodiscard]] bool completion_ready() noexcept override;
  std::size_t reap(std::span<IoCompletion> into) noexcept override;

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t buffer_bytes() const { return pool_.bytes(); }

 private:
  void set_up_ring();
  void register_files(std::span<const Target> targets);
  void register_chunk(std::uint32_t index, std::byte* data, std::size_t bytes);
  void prepare_transfer(io_uring_sqe* sqe, const IoRequest& request) noexcept;
  [[nodiscard]] int submit_all() noexcept;

  io_uring ring_ = {};
  bool attached_ = false;
  UringOptions options_;
  std::vector<int> fds_;
  std::vector<bool> is_block_device_;
  std::vector<bool> chunk_registered_;
  bool block_discard_;
  bool files_registered_ = false;
  bool buffers_registrable_ = false;
  std::vector<std::string> notes_;
  BufferPool pool_;
};

}  // namespace rigel
