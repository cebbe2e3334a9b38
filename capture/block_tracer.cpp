#include "capture/block_tracer.hpp"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/membarrier.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

#include "block_trace.skel.h"
#include "capture/bpf_permission.hpp"
#include "capture/capture_filter.hpp"
#include "capture/event_rings.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

// An I/O gets its time a moment before it gets its slot; interrupts may come between.
constexpr std::uint64_t kClaimDelayNs = 5'000'000;
constexpr std::uint32_t kSectorBytes = 512;  // of the block layer, whatever the device's own

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

// Memory for the kernel's BTF, which is parsed twice, by us and by libbpf: some 20 MB for a moment.
// Page by page the faults take longer than all the rest of loading; so it comes from the heap, in
// huge pages, the second time from what the first has left, and goes back in the end.
class ParsingMemory {
 public:
  ParsingMemory() {
    mallopt(M_MMAP_THRESHOLD, kBytes);
    mallopt(M_TRIM_THRESHOLD, 2 * kBytes);
    void* place = std::malloc(kBytes - kHugePage);
    const auto begin = (reinterpret_cast<std::uintptr_t>(place) + kHugePage - 1) & ~(kHugePage - 1);
    // Where there are no huge pages it takes longer, that is all.
    madvise(reinterpret_cast<void*>(begin), kBytes - 2 * kHugePage, MADV_HUGEPAGE);
    std::free(place);
  }
  ~ParsingMemory() {
    mallopt(M_TRIM_THRESHOLD, kKept);
    malloc_trim(kKept);
  }
  ParsingMemory(const ParsingMemory&) = delete;
  ParsingMemory& operator=(const ParsingMemory&) = delete;

 private:
  static constexpr int kBytes = 32 << 20;  // the most that M_MMAP_THRESHOLD takes
  static constexpr int kKept = 128 << 10;  // glibc's own
  static constexpr std::uintptr_t kHugePage = 2U << 20;
};

// The table of I/Os under way.
class BucketView {
 public:
  explicit BucketView(int map_fd) : buckets_{map_fd, RIGEL_BUCKETS, PROT_READ} {}

  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t bucket = 0; bucket < RIGEL_BUCKETS; ++bucket) {
      for (std::size_t way = 0; way < RIGEL_WAYS; ++way) {
        if (__atomic_load_n(&buckets_[bucket].key[way], __ATOMIC_ACQUIRE) == 0) continue;
        visit(buckets_[bucket].event[way]);
      }
    }
  }

 private:
  MappedArray<block_bucket> buckets_;
};

int ignore_wake(void*, void*, std::size_t) {
  return 0;
}

}  // namespace

struct BlockTracer::State {
  std::unique_ptr<block_trace_bpf, SkeletonDeleter> skeleton;
  std::unique_ptr<BucketView> buckets;
  std::unique_ptr<EventRings> rings;
  std::unique_ptr<ring_buffer, RingDeleter> wake;
  KernelFlavour flavour;
  int statistics_fd = -1;  // the kernel measures programs while it is open
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

// A disk for which there is no room is a space of its own, as one that is not named.
void place_disk(const DiskSpace& disk, page_space (&slots)[RIGEL_DEVICE_SLOTS]) {
  for (std::uint32_t probe = 0; probe < RIGEL_DEVICE_PROBES; ++probe) {
    page_space& slot = slots[rigel_device_slot(disk.number, probe)];
    if (slot.device != 0) continue;
    slot = {.device = disk.number, .space = disk.space};
    return;
  }
}

// The programs that follow I/Os, or those that sample their pages instead.
void choose_programs(block_trace_bpf& skeleton, const BlockTracerOptions& options) {
  const std::array sampling{skeleton.progs.sample_bio, skeleton.progs.sample_request};
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.obj) {
    const bool samples = std::find(sampling.begin(), sampling.end(), program) != sampling.end();
    bpf_program__set_autoload(program, samples == options.page_sample.has_value());
  }
  if (!options.page_sample) return;
  bpf_map__set_max_entries(skeleton.maps.buckets, 1);
  auto& rodata = *skeleton.rodata;
  rodata.page_shift =
      static_cast<std::uint32_t>(std::countr_zero(options.page_sample->page_bytes / kSectorBytes));
  for (const DiskSpace& disk : options.page_sample->disks) place_disk(disk, rodata.page_spaces);
  skeleton.bss->sample_threshold = ~std::uint64_t{0};
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
  apply_filter(options.filter, flavour, skeleton);
  choose_programs(skeleton, options);
}

// Adds up a map of counters, nothing but 64-bit numbers: all its entries, of all CPUs.
template <typename Counters>
void add_counters(const bpf_map& map, Counters& total) {
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) throw system_error("counters", "cannot tell the number of CPUs", -cpus);
  std::vector<Counters> by_cpu(static_cast<std::size_t>(cpus));
  auto* sums = reinterpret_cast<__u64*>(&total);
  for (std::uint32_t entry = 0; entry < bpf_map__max_entries(&map); ++entry) {
    if (bpf_map_lookup_elem(bpf_map__fd(&map), &entry, by_cpu.data()) != 0) {
      throw system_error("counters", "cannot read", errno);
    }
    for (const Counters& counters : by_cpu) {
      const auto* one = reinterpret_cast<const __u64*>(&counters);
      for (std::size_t i = 0; i < sizeof(Counters) / sizeof(__u64); ++i) sums[i] += one[i];
    }
  }
}

constexpr std::size_t kDefaultEntries = 16384;
constexpr std::size_t kFewestEntries = 128;
constexpr std::size_t kMostEntries = 1U << 22;
constexpr std::size_t kMostBytes = 32U << 20;

// How many events each CPU's ring holds.
std::size_t ring_entries(std::size_t ring_bytes, std::size_t cpus) {
  constexpr std::size_t kEntryBytes = sizeof(block_entry);
  if (ring_bytes == 0) {
    std::size_t entries = kDefaultEntries;
    while (entries * cpus * kEntryBytes > kMostBytes) entries /= 2;
    return std::max(entries, kFewestEntries);
  }
  const std::size_t entries = ring_bytes / kEntryBytes;
  if (entries < kFewestEntries || entries > kMostEntries) {
    throw UsageError{fmt::format(
        "a ring of {} is out of range: {} to {} for each CPU", format_bytes(ring_bytes),
        format_bytes(kFewestEntries * kEntryBytes), format_bytes(kMostEntries * kEntryBytes))};
  }
  return std::bit_floor(entries);
}

void size_rings(block_trace_bpf& skeleton, std::size_t cpus, std::size_t entries) {
  skeleton.rodata->ring_entries = static_cast<std::uint32_t>(entries);
  bpf_map__set_max_entries(skeleton.maps.entries, static_cast<std::uint32_t>(cpus * entries));
  bpf_map__set_max_entries(skeleton.maps.rings, static_cast<std::uint32_t>(cpus));
}

}  // namespace

BlockTracer::BlockTracer(const BlockTracerOptions& options) : state_{std::make_unique<State>()} {
  libbpf_set_print(keep_complaint);
  if (const std::string why = obstacle_to_capture(host_facts()); !why.empty()) throw Error{why};
  const ParsingMemory memory;
  std::unique_ptr<btf, BtfDeleter> kernel{btf__load_vmlinux_btf()};
  if (!kernel) throw system_error("/sys/kernel/btf/vmlinux", "cannot read", errno);
  state_->flavour = flavour_of(*kernel);
  kernel.reset();
  state_->skeleton.reset(block_trace_bpf__open());
  if (!state_->skeleton) fail("open", errno);
  configure(*state_->skeleton, options, state_->flavour);
  const auto cpus = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
  const std::size_t entries = ring_entries(options.ring_bytes, cpus);
  size_rings(*state_->skeleton, cpus, entries);
  if (const int error = block_trace_bpf__load(state_->skeleton.get()); error != 0) {
    fail("load", error);
  }
  if (!options.page_sample) {
    state_->buckets = std::make_unique<BucketView>(bpf_map__fd(state_->skeleton->maps.buckets));
  }
  if (options.measure_cost) {
    state_->statistics_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
    if (state_->statistics_fd < 0) throw system_error("BPF statistics", "cannot enable", errno);
  }
  const auto& maps = state_->skeleton->maps;
  state_->rings = std::make_unique<EventRings>(bpf_map__fd(maps.entries), bpf_map__fd(maps.rings),
                                               cpus, entries);
  state_->wake.reset(ring_buffer__new(bpf_map__fd(maps.wake), ignore_wake, nullptr, nullptr));
  if (!state_->wake) throw system_error("the recorder's buffers", "cannot map", errno);
}

BlockTracer::~BlockTracer() {
  if (state_->statistics_fd >= 0) close(state_->statistics_fd);
}

std::uint64_t BlockTracer::start() {
  // Programs come one after the other, which takes a while; all of them begin at once. Whatever
  // was submitted before then has no slot and is known by that.
  if (const int error = block_trace_bpf__attach(state_->skeleton.get()); error != 0) {
    fail("attach", error);
  }
  const std::uint64_t now = monotonic_ns();
  __atomic_store_n(&state_->skeleton->bss->is_recording, 1U, __ATOMIC_RELEASE);
  return now;
}

void BlockTracer::stop() {
  // Programs go one after the other, which takes a while: what is submitted or ends unannounced
  // meanwhile is no part of the recording.
  __atomic_store_n(&state_->skeleton->bss->is_recording, 0U, __ATOMIC_RELEASE);
  block_trace_bpf__detach(state_->skeleton.get());
  // Programs that were running when their link went away run with RCU's read lock held.
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

void BlockTracer::wait(int milliseconds) {
  ring_buffer__poll(state_->wake.get(), milliseconds);
}

bool BlockTracer::drain(std::vector<block_event>& events, std::size_t limit) {
  return state_->rings->drain(events, limit);
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
  return {.ring_full = shared.ring_full, .no_slot = shared.no_slot};
}

CaptureLedger BlockTracer::ledger() const {
  CaptureLedger ledger;
  ledger.losses = losses();
  add_counters(*state_->skeleton->maps.counts, ledger.counts);
  return ledger;
}

void BlockTracer::sample_below(std::uint64_t threshold) {
  __atomic_store_n(&state_->skeleton->bss->sample_threshold, threshold, __ATOMIC_RELAXED);
}

page_accesses BlockTracer::accesses() const {
  page_accesses total{};
  add_counters(*state_->skeleton->maps.accesses, total);
  return total;
}

std::vector<ProgramCost> BlockTracer::costs() const {
  std::vector<ProgramCost> costs;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, state_->skeleton->obj) {
    bpf_prog_info info{};
    std::uint32_t length = sizeof(info);
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length) != 0) continue;
    costs.push_back({.name = bpf_program__name(program),
                     .runs = info.run_cnt,
                     .run_ns = info.run_time_ns,
                     .missed = info.recursion_misses});
  }
  return costs;
}

const KernelFlavour& BlockTracer::flavour() const {
  return state_->flavour;
}

std::uint64_t CaptureLedger::started() const {
  return counts.queued + counts.fragments + counts.at_issue - counts.back_merged - counts.absorbed -
         counts.rq_merged - counts.refused - counts.rq_fast - counts.bio_fast;
}

std::uint64_t CaptureLedger::lost() const {
  return losses.ring_full + losses.no_slot;
}

std::uint64_t CaptureLedger::in_flight_at_start() const {
  return counts.rq_at_start + counts.bio_at_start;
}

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace rigel
