#include "replay/uring_engine.hpp"

#include <fmt/format.h>
#include <linux/falloc.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "traces/error.hpp"

namespace rigel {
namespace {

struct Setup {
  unsigned flags;
  const char* lacking;  // what goes to the notes when this is the best that works
};
constexpr std::array kSetups{
    Setup{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG, ""},
    Setup{IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
          "this kernel's io_uring has no deferred task work (Linux 6.1): times are less even"},
    Setup{0,
          "this kernel's io_uring has no cooperative task work (Linux 5.19): completions "
          "interrupt the issuing thread"},
};

// A discard as an io_uring command, since Linux 6.12: BLOCK_URING_CMD_DISCARD of linux/blkdev.h,
// which the oldest headers that rigel builds with do not have.
constexpr unsigned kBlockUringCmdDiscard = _IO(0x12, 0);

bool kernel_is_at_least(unsigned major, unsigned minor) {
  struct utsname name = {};
  unsigned have_major = 0;
  unsigned have_minor = 0;
  if (uname(&name) != 0 || sscanf(name.release, "%u.%u", &have_major, &have_minor) != 2) {
    return false;
  }
  return have_major > major || (have_major == major && have_minor >= minor);
}

}  // namespace

UringEngine::UringEngine(std::span<const Target> targets, const UringOptions& options)
    : options_(options),
      block_discard_(kernel_is_at_least(6, 12)),
      pool_(options.buffer_limit_bytes,
            [this](std::uint32_t index, std::byte* data, std::size_t bytes) {
              register_chunk(index, data, bytes);
            }) {
  for (const Target& target : targets) {
    fds_.push_back(target.fd());
    is_block_device_.push_back(target.is_block_device());
    if (!target.supports_nowait()) {
      notes_.push_back(
          fmt::format("{}: cannot start I/O without blocking, so io_uring hands every one to a "
                      "kernel worker; expect more CPU and later issue times",
                      target.path()));
    }
  }
}

UringEngine::~UringEngine() {
  if (attached_) io_uring_queue_exit(&ring_);
}

// In the issuing thread: SINGLE_ISSUER binds the ring to the thread that makes it.
void UringEngine::set_up_ring() {
  int error = 0;
  for (const Setup& setup : kSetups) {
    io_uring_params params = {};
    params.flags = setup.flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    params.cq_entries = std::max(options_.max_in_flight, 2 * kMaxBatch);
    error = io_uring_queue_init_params(2 * kMaxBatch, &ring_, &params);
    if (error == 0) {
      attached_ = true;
      if (*setup.lacking != '\0') notes_.emplace_back(setup.lacking);
      return;
    }
    if (error != -EINVAL) break;
  }
  if (error == -EPERM) {
    throw Error{"io_uring: not permitted (kernel.io_uring_disabled, or a container's seccomp)"};
  }
  throw system_error("io_uring", "cannot be set up", -error);
}

void UringEngine::attach() {
  set_up_ring();
  files_registered_ =
      io_uring_register_files(&ring_, fds_.data(), static_cast<unsigned>(fds_.size())) == 0;
  if (!files_registered_) notes_.emplace_back("target files could not be registered with io_uring");
  buffers_registrable_ =
      io_uring_register_buffers_sparse(&ring_, static_cast<unsigned>(BufferPool::kMaxChunks)) == 0;
  if (!buffers_registrable_) {
    notes_.emplace_back("I/O buffers could not be registered with io_uring");
  }
  if (options_.spinning_cpu >= 0) {
    cpu_set_t cpus;
    if (sched_getaffinity(getpid(), sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1) {
      CPU_CLR(static_cast<std::size_t>(options_.spinning_cpu), &cpus);
      if (CPU_COUNT(&cpus) > 0) io_uring_register_iowq_aff(&ring_, sizeof cpus, &cpus);
    }
  }
}

void UringEngine::register_chunk(std::uint32_t index, std::byte* data, std::size_t bytes) {
  chunk_registered_.resize(index + 1, false);
  if (!buffers_registrable_) return;
  struct iovec piece = {data, bytes};
  const __u64 tag = 0;
  const int count = io_uring_register_buffers_update_tag(&ring_, index, &piece, &tag, 1);
  chunk_registered_[index] = count == 1;
  if (count == 1) return;
  buffers_registrable_ = false;
  notes_.push_back(fmt::format("I/O buffers past {} could not be registered with io_uring: {}",
                               pool_.bytes(), strerror(-count)));
}

BufferRef UringEngine::acquire_buffer(std::uint32_t length_bytes) noexcept {
  return pool_.acquire(length_bytes);
}

void UringEngine::release_buffer(BufferRef buffer) noexcept {
  pool_.release(buffer);
}

std::byte* UringEngine::buffer_data(BufferRef buffer) noexcept {
  return pool_.data(buffer);
}

void UringEngine::prepare_transfer(io_uring_sqe* sqe, const IoRequest& request) noexcept {
  const bool write = request.op == IoOp::kWrite;
  std::byte* data = pool_.data(request.buffer);
  const std::uint32_t chunk = BufferPool::chunk_of(request.buffer);
  if (chunk_registered_[chunk]) {
    io_uring_prep_rw(write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED, sqe, 0, data,
                     request.length_bytes, request.offset_bytes);
    sqe->buf_index = static_cast<std::uint16_t>(chunk);
  } else {
    io_uring_prep_rw(write ? IORING_OP_WRITE : IORING_OP_READ, sqe, 0, data, request.length_bytes,
                     request.offset_bytes);
  }
  if (write && (request.flags & io_flag::kFua) != 0) sqe->rw_flags = RWF_DSYNC;
}

void UringEngine::prepare(const IoRequest& request) noexcept {
  // There is one: at most kMaxBatch are prepared between two submissions.
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  switch (request.op) {
    case IoOp::kRead:
    case IoOp::kWrite:
      prepare_transfer(sqe, request);
      break;
    case IoOp::kDiscard:
      if (is_block_device_[request.target] && block_discard_) {
        io_uring_prep_rw(IORING_OP_URING_CMD, sqe, 0, nullptr, 0, 0);
        sqe->cmd_op = kBlockUringCmdDiscard;
        sqe->addr = request.offset_bytes;
        sqe->addr3 = request.length_bytes;
      } else {
        io_uring_prep_fallocate(sqe, 0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                static_cast<off_t>(request.offset_bytes), request.length_bytes);
      }
      break;
    case IoOp::kWriteZeroes:
      io_uring_prep_fallocate(sqe, 0, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE,
                              static_cast<off_t>(request.offset_bytes), request.length_bytes);
      break;
    case IoOp::kFlush:
    case IoOp::kOther:
      io_uring_prep_fsync(sqe, 0, IORING_FSYNC_DATASYNC);
      break;
  }
  sqe->fd = files_registered_ ? request.target : fds_[request.target];
  if (files_registered_) sqe->flags |= IOSQE_FIXED_FILE;
  sqe->user_data = request.slot;
}

// Hands over everything that was prepared; the kernel may take a part of it at a time.
int UringEngine::submit_all() noexcept {
  while (io_uring_sq_ready(&ring_) > 0) {
    const int taken = io_uring_submit(&ring_);
    // Short of memory, or completions have nowhere to go: both pass as I/O completes.
    if (taken == -EAGAIN || taken == -EBUSY) {
      io_uring_get_events(&ring_);
    } else if (taken < 0 && taken != -EINTR) {
      return taken;
    }
  }
  return 0;
}

int UringEngine::submit(unsigned wait_for, std::int64_t timeout_ns) noexcept {
  if (wait_for == 0) return submit_all();
  // Handed over first: where a kernel worker does the I/O, or a fast device, something has
  // completed before this thread could sleep, and a sleep for every batch halves the IOPS of zram.
  if (wait_for == 1 && io_uring_sq_ready(&ring_) > 0) {
    if (const int code = submit_all(); code < 0) return code;
    if (completion_ready()) return 0;
  }
  __kernel_timespec timeout = {.tv_sec = timeout_ns / 1'000'000'000,
                               .tv_nsec = timeout_ns % 1'000'000'000};
  io_uring_cqe* cqe = nullptr;
  const int code = io_uring_submit_and_wait_timeout(&ring_, &cqe, wait_for,
                                                    timeout_ns < 0 ? nullptr : &timeout, nullptr);
  if (code < 0 && code != -ETIME && code != -EINTR && code != -EAGAIN && code != -EBUSY) {
    return code;
  }
  return submit_all();
}

bool UringEngine::completion_ready() noexcept {
  const unsigned flags = __atomic_load_n(ring_.sq.kflags, __ATOMIC_RELAXED);
  return io_uring_cq_ready(&ring_) != 0 ||
         (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

std::size_t UringEngine::reap(std::span<IoCompletion> into) noexcept {
  if (io_uring_cq_ready(&ring_) == 0) {
    if (!completion_ready()) return 0;
    io_uring_get_events(&ring_);
  }
  unsigned head = 0;
  std::size_t count = 0;
  io_uring_cqe* cqe = nullptr;
  io_uring_for_each_cqe(&ring_, head, cqe) {
    if (count == into.size()) break;
    into[count].slot = static_cast<std::uint32_t>(cqe->user_data);
    into[count++].result = cqe->res;
  }
  io_uring_cq_advance(&ring_, static_cast<unsigned>(count));
  return count;
}

}  // namespace rigel
