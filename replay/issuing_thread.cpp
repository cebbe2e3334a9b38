#include "replay/issuing_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <fstream>
#include <optional>
#include <utility>

namespace rigel {
namespace {

constexpr int kHighestPriority = -20;  // of nice(2); SCHED_FIFO would starve kernel workers

// Block I/O that the calling thread has started, as /proc/thread-self/io counts it (proc(5)).
std::optional<std::uint64_t> own_block_bytes() {
  std::ifstream file{"/proc/thread-self/io"};
  std::string key;
  std::uint64_t value = 0;
  std::uint64_t total = 0;
  unsigned found = 0;
  while (file >> key >> value) {
    if (key != "read_bytes:" && key != "write_bytes:") continue;
    total += value;
    ++found;
  }
  return found == 2 ? std::optional{total} : std::nullopt;
}

}  // namespace

IssuingThread::IssuingThread(Share share, std::span<const Target> targets,
                             const IssuerOptions& options, LatencyTable& table,
                             const DataPattern& pattern,
                             const std::atomic<std::uint32_t>& size_classes, StartGate& gate)
    : share_(std::move(share)),
      options_(options),
      table_(table),
      pattern_(pattern),
      size_classes_(size_classes) {
  UringOptions uring;
  uring.max_in_flight = options.depth * static_cast<std::uint32_t>(share_.targets.size());
  uring.spinning_cpu = share_.cpu;
  engine_ = std::make_unique<UringEngine>(targets, uring);
  thread_ = std::thread{[this, &gate] { run(gate); }};
}

void IssuingThread::join() {
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void IssuingThread::run(StartGate& gate) noexcept {
  bool arrived = false;
  try {
    prepare_thread();
    engine_->attach();
    reserve_buffers();
    Issuer issuer{share_.targets, options_, *engine_, table_, pattern_, clock_};
    arrived = true;
    gate.ready.count_down();
    gate.open.wait();
    if (gate.cancelled) return;
    const std::optional<std::uint64_t> before = own_block_bytes();
    result_ = issuer.run(gate.start_ns);
    const std::optional<std::uint64_t> after = own_block_bytes();
    knows_own_bytes_ = before && after;
    if (knows_own_bytes_) own_bytes_ = *after - *before;
    notes_.insert(notes_.end(), engine_->notes().begin(), engine_->notes().end());
  } catch (...) {
    failure_ = std::current_exception();
    gate.cancelled = true;
    if (!arrived) gate.ready.count_down();
  }
}

void IssuingThread::prepare_thread() {
  pthread_setname_np(pthread_self(), "rigel-issue");
  // Outside of real-time classes the kernel may delay every timer by 50 us, to save wake-ups.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  // Ahead of whatever else this host does, as far as that is permitted: time that the thread waits
  // for a CPU is slip. Kernel workers that do its I/O inherit it.
  setpriority(PRIO_PROCESS, 0, kHighestPriority);
  const int policy = sched_getscheduler(0);
  if (policy == SCHED_FIFO || policy == SCHED_RR) {
    struct sched_param normal = {};
    if (sched_setscheduler(0, SCHED_OTHER, &normal) == 0) {
      notes_.emplace_back(
          "real-time scheduling given up for the issuing thread: spinning in that class, it would "
          "starve the kernel threads that do its I/O");
    }
  }
  if (share_.cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(static_cast<std::size_t>(share_.cpu), &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
  }
}

// The first use of a buffer maps and pins its memory; done here, it makes no I/O late.
void IssuingThread::reserve_buffers() {
  const std::uint32_t classes = size_classes_;
  for (unsigned size_class = 0; size_class < 32; ++size_class) {
    if ((classes >> size_class & 1U) == 0) continue;
    const BufferRef buffer = engine_->acquire_buffer(1U << size_class);
    if (buffer.id != BufferRef::kNone) engine_->release_buffer(buffer);
  }
}

}  // namespace rigel
