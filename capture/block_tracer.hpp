// The recorder's kernel side from user space: loads the BPF programs, drains their ring, counts.
//
//   BlockTracer tracer{options};     // loaded, not yet recording
//   tracer.start();
//   while (…) tracer.drain(events, limit);
//   tracer.stop();                   // nothing new from here on
//   tracer.drain(…); tracer.in_flight();
//
// Owns the programs, links, maps and the ring; the destructor detaches and frees them all, and so
// does the kernel when the process is killed. One thread, except that wait() may be interrupted by
// signals. The constructor throws Error naming what is missing (a capability, BTF, …) and the
// remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/block_trace.h"
#include "capture/kernel_flavour.hpp"

namespace rigel {

// Which I/Os are followed: decided at their submission, before anything else is done about them
// (the latency when they complete). What is set must all hold; a process counts when it is in
// either list.
struct CaptureFilter {
  std::vector<std::uint32_t> pids;
  std::vector<std::string> comms;  // as in /proc/PID/comm, at most 15 characters
  std::string cgroup;              // a directory of the cgroup v2 filesystem, with all below it
  std::uint32_t ops = 0xffffffff;  // by IoOp, 1 << op
  std::int64_t least_latency_ns = 0;
  std::uint32_t sample_one_in = 1;
};

// Which address space the pages of a disk are of: paths to one LUN share it.
struct DiskSpace {
  std::uint32_t number = 0;  // kernel_device()
  std::uint32_t space = 0;   // below 2^15
};

// Instead of following I/Os: only those that touch a page whose rigel_page_hash() is below a
// threshold are sent, once, and nothing more is known of them (see BlockTracer::accesses).
struct PageSampleOptions {
  std::uint32_t page_bytes = 8192;  // a power of two, from 512 on
  std::vector<DiskSpace> disks;     // any other is a space of its own
};

struct BlockTracerOptions {
  CaptureFilter filter;  // with a page sample: by operation only
  std::optional<PageSampleOptions> page_sample;
  bool measure_cost = false;           // see costs(); has a cost itself
  std::vector<std::uint32_t> devices;  // kernel_device() numbers; none: all
  bool devices_are_excluded = false;   // all but `devices`
  // Buffer of each CPU for finished I/Os, rounded down to a power of two of events; 0: 16384
  // events, fewer where many CPUs would take more than 32 MB together.
  std::size_t ring_bytes = 0;
};

// Where every I/O that was started went. started() = recorded + in flight + lost, always.
struct CaptureLedger {
  block_counts counts{};
  block_losses losses{};

  // I/Os as sent to devices: bios that were merged into others count once, fragments apart, and
  // those that the kernel refused to queue without waiting, and that come again, not at all, nor
  // those that the filter left out.
  [[nodiscard]] std::uint64_t started() const;
  [[nodiscard]] std::uint64_t lost() const;
  // Those that had begun before and ended meanwhile; not part of started().
  [[nodiscard]] std::uint64_t in_flight_at_start() const;
};

// What one of the BPF programs did and took, by the kernel's own statistics.
struct ProgramCost {
  std::string name;
  std::uint64_t runs = 0;
  std::uint64_t run_ns = 0;
  std::uint64_t missed = 0;  // not run, since it was already running on that CPU
};

class BlockTracer {
 public:
  explicit BlockTracer(const BlockTracerOptions& options);
  ~BlockTracer();
  BlockTracer(const BlockTracer&) = delete;
  BlockTracer& operator=(const BlockTracer&) = delete;

  // Attaches everything; returns the time (CLOCK_MONOTONIC) from which on submissions are seen.
  std::uint64_t start();
  // Detaches everything and waits until no program runs any more.
  void stop();

  // Waits until some CPU's ring is half full or the time is over.
  void wait(int milliseconds);
  // Appends what is in the rings, at most `limit` events; true when there may be more.
  bool drain(std::vector<block_event>& events, std::size_t limit);

  // No I/O that is still to come began before this (CLOCK_MONOTONIC): the oldest one under way, or
  // a little before now. Valid for what is drained after the call.
  [[nodiscard]] std::uint64_t oldest_under_way() const;
  // The I/Os under way; after stop() and a last drain() those that the recording leaves unfinished.
  [[nodiscard]] std::vector<block_event> in_flight() const;

  [[nodiscard]] block_losses losses() const;  // cheap: reads shared memory
  [[nodiscard]] CaptureLedger ledger() const;
  [[nodiscard]] std::vector<ProgramCost> costs() const;

  // With a page sample. An event then has the time (queue_ns), the address space (device), the
  // place on the disk and the operation; oldest_under_way() and in_flight() are not to be called.
  void sample_below(std::uint64_t threshold);
  [[nodiscard]] page_accesses accesses() const;  // all of them, in the sample or not
  [[nodiscard]] const KernelFlavour& flavour() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// CLOCK_MONOTONIC, the clock of all events.
[[nodiscard]] std::uint64_t monotonic_ns();

}  // namespace rigel
