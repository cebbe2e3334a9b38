#include "replay/replayer.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "replay/allowed_cpus.hpp"
#include "replay/issuing_thread.hpp"
#include "replay/read_ahead.hpp"
#include "replay/target_activity.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// Between the gate's opening and the first due time: enough for every thread to wake up.
constexpr std::int64_t kLeadNs = 5'000'000;

std::int64_t nanoseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
}

struct CpuTimes {
  std::int64_t at_ns;
  std::int64_t user_ns;
  std::int64_t system_ns;
};
CpuTimes cpu_times() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return {MonotonicClock{}.now_ns(), nanoseconds(usage.ru_utime), nanoseconds(usage.ru_stime)};
}

// The CPU of each issuing thread, -1 for those that are not pinned. From the last CPU down, because
// interrupts and housekeeping tend to be on the first; one is left to the rest of the system.
// A closed loop has no times to keep, and pinned it may have to share its CPU with the kernel
// threads that do its I/O, of which the scheduler would otherwise keep it clear.
std::vector<int> choose_cpus(std::size_t targets, unsigned threads, ReplayTiming timing) {
  const std::vector<int> cpus = allowed_cpus();
  const std::size_t wanted = threads != 0 ? threads : std::max<std::size_t>(cpus.size(), 1);
  std::vector<int> chosen(std::min(wanted, targets), -1);
  if (timing == ReplayTiming::kFlatOut) return chosen;
  for (std::size_t i = 0; i < chosen.size() && i + 1 < cpus.size(); ++i) {
    chosen[i] = cpus[cpus.size() - 1 - i];
  }
  return chosen;
}

using Verifiers = std::vector<std::unique_ptr<WriteVerifier>>;

std::vector<IssuingThread::Share> share_out(const std::vector<int>& cpus, ReadAhead& read_ahead,
                                            std::vector<TargetActivity>& activity,
                                            const Verifiers& verifiers) {
  std::vector<IssuingThread::Share> shares(cpus.size());
  for (std::size_t i = 0; i < cpus.size(); ++i) shares[i].cpu = cpus[i];
  for (std::size_t i = 0; i < activity.size(); ++i) {
    shares[i % shares.size()].targets.push_back(
        {&read_ahead.queue(read_ahead.queues() == 1 ? 0 : i), &activity[i],
         static_cast<std::uint16_t>(i), verifiers.empty() ? nullptr : verifiers[i].get()});
  }
  return shares;
}

// Keeps the calling thread, and those that it starts meanwhile, off some CPUs.
class KeepOff {
 public:
  explicit KeepOff(const std::vector<int>& cpus) {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t rest = before_;
    for (const int cpu : cpus) {
      if (cpu >= 0) CPU_CLR(static_cast<std::size_t>(cpu), &rest);
    }
    changed_ = CPU_COUNT(&rest) > 0 && sched_setaffinity(0, sizeof rest, &rest) == 0;
  }
  ~KeepOff() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  KeepOff(const KeepOff&) = delete;
  KeepOff& operator=(const KeepOff&) = delete;

 private:
  cpu_set_t before_;
  bool changed_ = false;
};

TargetTotals totals_of(const Target& target, const TargetActivity& activity,
                       std::int64_t duration_ns, std::int64_t intended_ns) {
  TargetTotals totals;
  totals.path = target.path();
  totals.counts = activity.counts(0);
  const auto per = [](std::uint64_t sum_ns, std::int64_t span_ns) {
    return span_ns > 0 ? static_cast<double>(sum_ns) / static_cast<double>(span_ns) : 0;
  };
  totals.mean_outstanding = per(totals.counts.run_sum_ns, duration_ns);
  if (activity.recorded_service_ns > 0) {
    totals.recorded_outstanding = per(activity.recorded_service_ns, intended_ns);
  }
  totals.longest_silence_ns = static_cast<std::int64_t>(activity.longest_silence_ns);
  totals.busy = per(totals.counts.run_busy_ns, duration_ns);
  return totals;
}

using Threads = std::vector<std::unique_ptr<IssuingThread>>;

void add_punted(ReplayResult& result, const Threads& threads, std::span<const Target> targets) {
  // Only block devices are accounted where their I/O starts.
  for (const Target& target : targets) {
    if (!target.is_block_device()) return;
  }
  std::uint64_t own = 0;
  for (const auto& thread : threads) {
    if (!thread->knows_own_bytes()) return;
    own += thread->own_bytes();
  }
  const IssuerResult& issue = result.issue;
  PuntedIo punted;
  if (issue.completed_bytes > own) {
    punted.bytes = issue.completed_bytes - own;
    punted.ios = static_cast<std::uint64_t>(std::llround(
        static_cast<double>(punted.bytes) / static_cast<double>(issue.completed_bytes) *
        static_cast<double>(issue.completed)));
  }
  result.punted = punted;
}

void collect_threads(ReplayResult& result, const Threads& threads) {
  for (const auto& thread : threads) {
    merge(result.issue, thread->result());
    result.buffer_bytes += thread->buffer_bytes();
    for (const std::string& note : thread->notes()) {
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) {
        result.notes.push_back(note);
      }
    }
  }
}

void add_times(ReplayResult& result, const CpuTimes& cpu_before) {
  const CpuTimes cpu_after = cpu_times();
  result.elapsed_ns = cpu_after.at_ns - cpu_before.at_ns;
  result.cpu_user_ns = cpu_after.user_ns - cpu_before.user_ns;
  result.cpu_system_ns = cpu_after.system_ns - cpu_before.system_ns;
  const IssuerResult& issue = result.issue;
  result.duration_ns = issue.last_complete_ns - issue.first_issue_ns;
  result.intended_duration_ns = issue.last_due_ns - issue.first_due_ns;
}

Verifiers make_verifiers(std::span<const Target> targets, const ReplayOptions& options) {
  Verifiers verifiers;
  if (!options.verify) return verifiers;
  // Stamps of an earlier run, of the same seed even, are none of this one's.
  const auto run =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  for (const Target& target : targets) {
    verifiers.push_back(std::make_unique<WriteVerifier>(
        static_cast<std::uint16_t>(verifiers.size()), target.block_bytes(), run));
  }
  return verifiers;
}

void read_back(ReplayResult& result, const Verifiers& verifiers, std::span<const Target> targets,
               const std::atomic<bool>* stop) {
  if (verifiers.empty()) return;
  result.verify.emplace();
  for (std::size_t i = 0; i < verifiers.size(); ++i) {
    // With I/O still in flight nothing is certain, and a target that is gone answers no read.
    if (result.issue.abandoned == 0) verifiers[i]->read_back(targets[i].fd(), stop);
    *result.verify += verifiers[i]->result();
  }
  if (result.issue.abandoned > 0) result.verify->complete = false;
}

// Starts a thread for each share and, when all of them are ready, the replay.
Threads issue_all(std::vector<IssuingThread::Share> shares, std::span<const Target> targets,
                  IssuerOptions options, LatencyTable& table, const DataPattern& pattern,
                  const ReadAhead& read_ahead, std::span<TargetActivity> activity,
                  const ReplayOptions& replay, ReplayTimeline& timeline) {
  StartGate gate{static_cast<std::ptrdiff_t>(shares.size())};
  Threads threads;
  try {
    for (IssuingThread::Share& share : shares) {
      if (replay.recorder != nullptr) {
        const auto targets_of_thread = static_cast<std::uint32_t>(share.targets.size());
        options.recording = &replay.recorder->add_lane(targets_of_thread * options.depth);
      }
      threads.push_back(std::make_unique<IssuingThread>(std::move(share), targets, options, table,
                                                        pattern, read_ahead.size_classes(), gate));
    }
  } catch (...) {
    gate.cancelled = true;
    gate.open.count_down();
    for (const auto& thread : threads) thread->join();
    throw;
  }
  gate.ready.wait();
  gate.start_ns = MonotonicClock{}.now_ns() + kLeadNs;
  if (replay.recorder != nullptr) replay.recorder->start(gate.start_ns);
  const ActivitySampler sampler{activity, gate.start_ns, replay.sample_interval_ns,
                                replay.on_sample, timeline};
  gate.open.count_down();
  for (const auto& thread : threads) thread->join();
  return threads;
}

}  // namespace

ReplayResult replay(RecordSource& source, std::span<const Target> targets,
                    const ReplayOptions& options) {
  const CpuTimes cpu_before = cpu_times();
  const DataPattern pattern{options.data};
  const auto table = std::make_shared<LatencyTable>();
  std::vector<TargetActivity> activity(targets.size());
  // Streams may use several targets, and nothing but one thread sees all that they wait for.
  const bool dependent = options.timing == ReplayTiming::kDependent;
  const std::vector<int> cpus =
      choose_cpus(targets.size(), dependent ? 1 : options.threads, options.timing);
  const KeepOff keep_off{cpus};
  ReadAhead read_ahead{source, *table, dependent ? 1 : targets.size()};
  const Verifiers verifiers = make_verifiers(targets, options);
  std::vector<IssuingThread::Share> shares = share_out(cpus, read_ahead, activity, verifiers);
  read_ahead.wait_until_filled();
  std::atomic<bool> failed{false};
  const IssuerOptions issuer{.timing = options.timing,
                             .depth = options.depth,
                             .spin = options.spin,
                             .warm_up_ns = options.warm_up_ns,
                             .stop_at_ns = options.stop_at_ns,
                             .stop = options.stop,
                             .failed = options.fail_fast ? &failed : nullptr};
  ReplayTimeline timeline{ActivitySampler::tick_ns(options.sample_interval_ns)};
  const Threads threads = issue_all(std::move(shares), targets, issuer, *table, pattern, read_ahead,
                                    activity, options, timeline);
  read_ahead.stop();

  ReplayResult result;
  collect_threads(result, threads);
  result.tally = source.tally();
  result.notes.insert(result.notes.end(), result.tally.notes.begin(), result.tally.notes.end());
  result.roles = source.roles();
  result.latencies = table;
  result.timeline = timeline;
  result.timing = options.timing;
  result.failed_fast = failed;
  result.warm_up_ns = options.warm_up_ns;
  result.depth = options.depth;
  result.time_limited = options.stop_at_ns != std::numeric_limits<std::int64_t>::max();
  result.interrupted = options.stop != nullptr && *options.stop;
  result.source_error = read_ahead.error();
  add_times(result, cpu_before);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    result.targets.push_back(
        totals_of(targets[i], activity[i], result.duration_ns, result.intended_duration_ns));
  }
  add_punted(result, threads, targets);
  read_back(result, verifiers, targets, options.stop);
  result.fidelity = judge(result);
  return result;
}

}  // namespace rigel
