#include "capture/block_tracer.hpp"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <string>

#include "block_trace.skel.h"
#include "capture/bpf_permission.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// An I/O gets its time a moment before it gets its slot; interrupts may come between.
constexpr std::uint64_t kClaimDelayNs = 5'000'000;

// libbpf's own words about the last thing that failed; it reports by callback only.
thread_local std::string last_complaint;

int keep_complaint(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  std::array<char, 512> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  std::string line{text.data()};
  line.erase(std::find(line.begin(), line.end(), '\n'), line.end());
  // The verifier's log comes as one long text: its end has the reason, libbpf's summary follows.
  if (!line.empty() && line.find("BEGIN PROG LOAD LOG") == std::string::npos) last_complaint = line;
  return length;
}

[[noreturn]] void fail(const char* what, int error) {
  const std::string why = obstacle_to_capture(host_facts());
  if (!why.empty()) throw Error{why};
  throw Error{fmt::format("cannot {} the recorder's BPF programs: {} ({})", what,
                          std::generic_category().message(error < 0 ? -error : error),
                          last_complaint.empty() ? "libbpf says no more" : last_complaint)};
}

struct BtfDeleter {
  void operator()(btf* object) const { btf__free(object); }
};
struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};
struct SkeletonDeleter {
  void operator()(block_trace_bpf* skeleton) const { block_trace_bpf__destroy(skeleton); }
};

// The table of I/Os under way, mapped read-only.
class BucketView {
 public:
  explicit BucketView(int map_fd) {
    void* place = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, map_fd, 0);
    if (place == MAP_FAILED) throw system_error("table of I/Os", "cannot map", errno);
    buckets_ = static_cast<const block_bucket*>(place);
  }
  ~BucketView() { munmap(const_cast<block_bucket*>(buckets_), kBytes); }
  BucketView(const BucketView&) = delete;
  BucketView& operator=(const BucketView&) = delete;

  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t bucket = 0; bucket < RIGEL_BUCKETS; ++bucket) {
      for (std::size_t way = 0; way < RIGEL_WAYS; ++way) {
        const volatile __u64& key = buckets_[bucket].key[way];
        if (key != 0) visit(buckets_[bucket].event[way]);
      }
    }
  }

 private:
  static constexpr std::size_t kBytes = RIGEL_BUCKETS * sizeof(block_bucket);
  const block_bucket* buckets_ = nullptr;
};

struct DrainTarget {
  std::vector<block_event>* events = nullptr;
  std::size_t limit = 0;
};

}  // namespace

struct BlockTracer::State {
  std::unique_ptr<block_trace_bpf, SkeletonDeleter> skeleton;
  std::unique_ptr<BucketView> buckets;
  std::unique_ptr<ring_buffer, RingDeleter> ring;
  KernelFlavour flavour;
  DrainTarget target;
};

namespace {

void name_device(__u32 (&slots)[RIGEL_DEVICE_SLOTS], std::uint32_t device) {
  for (std::uint32_t probe = 0; probe < RIGEL_DEVICE_PROBES; ++probe) {
    __u32& slot = slots[rigel_device_slot(device, probe)];
    if (slot == 0 || slot == device) {
      slot = device;
      return;
    }
  }
  throw UsageError{"too many devices to tell apart: name fewer with -d"};
}

void configure(block_trace_bpf& skeleton, const BlockTracerOptions& options,
               const KernelFlavour& flavour) {
  auto& rodata = *skeleton.rodata;
  rodata.rq_after_queue = flavour.rq_after_queue;
  rodata.bio_after_queue = flavour.bio_after_queue;
  rodata.status_is_errno = flavour.status_is_errno;
  rodata.flush_sequence_mask = flavour.flush_sequence_mask;
  rodata.writeback_mask = flavour.writeback_mask;
  for (const std::uint32_t device : options.devices) name_device(rodata.devices, device);
  rodata.names_devices = options.devices.empty() ? 0 : 1;
  rodata.devices_are_excluded = options.devices_are_excluded;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t ring =
      std::bit_ceil(std::clamp<std::size_t>(options.ring_bytes, page, 1U << 30));
  rodata.wake_at_bytes = static_cast<std::uint32_t>(ring / 2);
  bpf_map__set_max_entries(skeleton.maps.events, static_cast<std::uint32_t>(ring));
}

int take_event(void* context, void* data, std::size_t size) {
  auto& target = *static_cast<DrainTarget*>(context);
  if (size >= sizeof(block_event)) target.events->push_back(*static_cast<block_event*>(data));
  return target.events->size() >= target.limit ? -ENOBUFS : 0;  // stops after this one
}

}  // namespace

BlockTracer::BlockTracer(const BlockTracerOptions& options) : state_{std::make_unique<State>()} {
  libbpf_set_print(keep_complaint);
  if (const std::string why = obstacle_to_capture(host_facts()); !why.empty()) throw Error{why};
  const std::unique_ptr<btf, BtfDeleter> kernel{btf__load_vmlinux_btf()};
  if (!kernel) throw system_error("/sys/kernel/btf/vmlinux", "cannot read", errno);
  state_->flavour = flavour_of(*kernel);
  state_->skeleton.reset(block_trace_bpf__open());
  if (!state_->skeleton) fail("open", errno);
  configure(*state_->skeleton, options, state_->flavour);
  if (const int error = block_trace_bpf__load(state_->skeleton.get()); error != 0) {
    fail("load", error);
  }
  state_->buckets = std::make_unique<BucketView>(bpf_map__fd(state_->skeleton->maps.buckets));
  state_->ring.reset(ring_buffer__new(bpf_map__fd(state_->skeleton->maps.events), take_event,
                                      &state_->target, nullptr));
  if (!state_->ring) throw system_error("event ring", "cannot map", errno);
}

BlockTracer::~BlockTracer() = default;

void BlockTracer::start() {
  // Submission comes last: whatever began before it has no slot and is known by that.
  block_trace_bpf& skeleton = *state_->skeleton;
  bpf_program__set_autoattach(skeleton.progs.bio_queue, false);
  if (const int error = block_trace_bpf__attach(&skeleton); error != 0) fail("attach", error);
  skeleton.links.bio_queue = bpf_program__attach(skeleton.progs.bio_queue);
  if (skeleton.links.bio_queue == nullptr) fail("attach", errno);
}

void BlockTracer::stop() {
  block_trace_bpf__detach(state_->skeleton.get());
  // Programs that were running when their link went away run with RCU's read lock held.
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

void BlockTracer::wait(int milliseconds) {
  pollfd ready{.fd = ring_buffer__epoll_fd(state_->ring.get()), .events = POLLIN, .revents = 0};
  poll(&ready, 1, milliseconds);
}

bool BlockTracer::drain(std::vector<block_event>& events, std::size_t limit) {
  state_->target = {.events = &events, .limit = events.size() + limit};
  const int result = ring_buffer__consume(state_->ring.get());
  if (result < 0 && result != -ENOBUFS) throw system_error("event ring", "cannot read", -result);
  return result == -ENOBUFS;
}

std::uint64_t BlockTracer::oldest_under_way() const {
  std::uint64_t oldest = monotonic_ns() - kClaimDelayNs;
  state_->buckets->for_each([&](const block_event& event) {
    const std::uint64_t start = event.queue_ns != 0 ? event.queue_ns : event.issue_ns;
    if (start != 0) oldest = std::min(oldest, start);
  });
  return oldest;
}

std::vector<block_event> BlockTracer::in_flight() const {
  std::vector<block_event> events;
  state_->buckets->for_each([&](const block_event& event) { events.push_back(event); });
  return events;
}

block_losses BlockTracer::losses() const {
  const volatile block_losses& shared = state_->skeleton->bss->losses;
  return {
      .ring_full = shared.ring_full, .no_slot = shared.no_slot, .unfinished = shared.unfinished};
}

CaptureLedger BlockTracer::ledger() const {
  CaptureLedger ledger;
  ledger.losses = losses();
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) throw system_error("counters", "cannot tell the number of CPUs", -cpus);
  std::vector<block_counts> by_cpu(static_cast<std::size_t>(cpus));
  const std::uint32_t zero = 0;
  if (bpf_map_lookup_elem(bpf_map__fd(state_->skeleton->maps.counts), &zero, by_cpu.data()) != 0) {
    throw system_error("counters", "cannot read", errno);
  }
  constexpr std::size_t kFields = sizeof(block_counts) / sizeof(__u64);
  auto* total = reinterpret_cast<__u64*>(&ledger.counts);
  for (const block_counts& counts : by_cpu) {
    const auto* one = reinterpret_cast<const __u64*>(&counts);
    for (std::size_t i = 0; i < kFields; ++i) total[i] += one[i];
  }
  return ledger;
}

const KernelFlavour& BlockTracer::flavour() const {
  return state_->flavour;
}

std::uint64_t CaptureLedger::started() const {
  return counts.queued + counts.fragments + counts.at_issue - counts.back_merged - counts.absorbed -
         counts.rq_merged - counts.refused;
}

std::uint64_t CaptureLedger::sent() const {
  return counts.rq_sent + counts.bio_sent;
}

std::uint64_t CaptureLedger::lost() const {
  return losses.ring_full + losses.no_slot + losses.unfinished;
}

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace rigel
