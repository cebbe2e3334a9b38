// What one target is doing, as counters that another thread may read while the replay runs.
// Written by the one thread that issues to the target. The wait queue holds I/Os whose time has
// come and that are not issued, the run queue those in flight; their Riemann sums are kept as
// Solaris' kstat_io does (kstat(9S)), which is what `iostat -x` divides.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "traces/io_record.hpp"

namespace rigel {

// The counters at one moment, or what they gained between two. Plain data.
struct ActivityCounts {
  std::uint64_t issued = 0;
  std::uint64_t reads = 0;  // completed, as all up to `errors`
  std::uint64_t writes = 0;
  std::uint64_t others = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t read_service_ns = 0;   // sum, issue to completion
  std::uint64_t write_service_ns = 0;  // of all that are not reads
  std::uint64_t errors = 0;
  std::uint64_t wait_sum_ns = 0;          // sum over I/Os of the time between due and issued
  std::uint64_t wait_busy_ns = 0;         // time with at least one I/O waiting
  std::uint64_t run_sum_ns = 0;           // integral of the number in flight
  std::uint64_t run_busy_ns = 0;          // time with at least one in flight
  std::uint64_t recorded_service_ns = 0;  // sum of the recorded service times of what was issued
  std::uint64_t in_flight = 0;            // not a sum: at the (later) moment
  std::uint64_t worst_slip_ns = 0;        // not a sum: of what was issued between the two

  // visit(member) for every sum.
  template <typename Visit>
  static void for_each_sum(Visit&& visit) {
    visit(&ActivityCounts::issued);
    visit(&ActivityCounts::reads);
    visit(&ActivityCounts::writes);
    visit(&ActivityCounts::others);
    visit(&ActivityCounts::read_bytes);
    visit(&ActivityCounts::write_bytes);
    visit(&ActivityCounts::read_service_ns);
    visit(&ActivityCounts::write_service_ns);
    visit(&ActivityCounts::errors);
    visit(&ActivityCounts::wait_sum_ns);
    visit(&ActivityCounts::wait_busy_ns);
    visit(&ActivityCounts::run_sum_ns);
    visit(&ActivityCounts::run_busy_ns);
    visit(&ActivityCounts::recorded_service_ns);
  }
  // A sum that was estimated too high before gains nothing, rather than less than that.
  [[nodiscard]] ActivityCounts since(const ActivityCounts& before) const {
    ActivityCounts gained;
    for_each_sum([&](std::uint64_t ActivityCounts::*sum) {
      gained.*sum = this->*sum - std::min(this->*sum, before.*sum);
    });
    gained.in_flight = in_flight;
    return gained;
  }
  // Of another target, over the same time.
  ActivityCounts& operator+=(const ActivityCounts& other) {
    const std::uint64_t together = in_flight + other.in_flight;
    then(other);
    in_flight = together;
    return *this;
  }
  // Of the same target, over the time that follows.
  void then(const ActivityCounts& later) {
    for_each_sum([&](std::uint64_t ActivityCounts::*sum) { this->*sum += later.*sum; });
    in_flight = later.in_flight;
    worst_slip_ns = std::max(worst_slip_ns, later.worst_slip_ns);
  }
};

struct alignas(64) TargetActivity {
  using Counter = std::atomic<std::uint64_t>;
  // As in ActivityCounts.
  Counter issued{0};
  Counter reads{0};
  Counter writes{0};
  Counter others{0};
  Counter read_bytes{0};
  Counter write_bytes{0};
  Counter read_service_ns{0};
  Counter write_service_ns{0};
  Counter errors{0};
  Counter wait_sum_ns{0};
  Counter wait_busy_ns{0};
  Counter run_sum_ns{0};
  Counter run_busy_ns{0};
  Counter recorded_service_ns{0};
  Counter longest_silence_ns{0};  // with I/O in flight and none completing

  void on_issue(std::int64_t due_ns, std::int64_t issue_ns, std::uint32_t recorded_ns) noexcept {
    add(issued, 1);
    add(recorded_service_ns, recorded_ns);
    if (issue_ns > due_ns) {
      const auto slip_ns = static_cast<std::uint64_t>(issue_ns - due_ns);
      add(wait_sum_ns, slip_ns);
      if (slip_ns > worst_slip_ns_.load(std::memory_order_relaxed)) {
        worst_slip_ns_.store(slip_ns, std::memory_order_relaxed);
      }
      const std::int64_t from = std::max(due_ns, last_issue_ns_);
      if (issue_ns > from) add(wait_busy_ns, static_cast<std::uint64_t>(issue_ns - from));
    }
    last_issue_ns_ = std::max(last_issue_ns_, issue_ns);
    advance(issue_ns);
    if (in_flight() == 0) silent_since_ns_ = issue_ns;
    add(in_flight_, 1);
  }

  void on_complete(std::int64_t now_ns, std::int64_t issue_ns, IoOp op, std::uint32_t bytes,
                   bool failed) noexcept {
    advance(now_ns);
    end_silence(now_ns);
    in_flight_.store(in_flight_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    const auto service_ns =
        static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns - issue_ns, 0));
    if (op == IoOp::kRead) {
      add(reads, 1);
      add(read_bytes, bytes);
      add(read_service_ns, service_ns);
    } else {
      add(op == IoOp::kWrite ? writes : others, 1);
      add(write_bytes, bytes);
      add(write_service_ns, service_ns);
    }
    if (failed) add(errors, 1);
  }

  // The run is over, whatever is still in flight.
  void on_end(std::int64_t now_ns) noexcept {
    advance(now_ns);
    if (in_flight() > 0) end_silence(now_ns);
  }

  // The most that an I/O was late since this was last called; from one thread.
  [[nodiscard]] std::uint64_t take_worst_slip() noexcept {
    return worst_slip_ns_.exchange(0, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }

  // From any thread. What is in flight is taken to have been so since its last change; a change
  // under way at this very moment may be seen in part.
  [[nodiscard]] ActivityCounts counts(std::int64_t now_ns) const noexcept {
    const auto get = [](const Counter& counter) { return counter.load(std::memory_order_relaxed); };
    ActivityCounts counts{.issued = get(issued),
                          .reads = get(reads),
                          .writes = get(writes),
                          .others = get(others),
                          .read_bytes = get(read_bytes),
                          .write_bytes = get(write_bytes),
                          .read_service_ns = get(read_service_ns),
                          .write_service_ns = get(write_service_ns),
                          .errors = get(errors),
                          .wait_sum_ns = get(wait_sum_ns),
                          .wait_busy_ns = get(wait_busy_ns),
                          .run_sum_ns = get(run_sum_ns),
                          .run_busy_ns = get(run_busy_ns),
                          .recorded_service_ns = get(recorded_service_ns),
                          .in_flight = in_flight()};
    const std::int64_t open_ns = now_ns - last_change_ns_.load(std::memory_order_relaxed);
    if (counts.in_flight > 0 && open_ns > 0) {
      counts.run_sum_ns += static_cast<std::uint64_t>(open_ns) * counts.in_flight;
      counts.run_busy_ns += static_cast<std::uint64_t>(open_ns);
    }
    return counts;
  }

 private:
  // Only one thread writes: a load and a store, not an atomic addition.
  static void add(Counter& counter, std::uint64_t value) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  void advance(std::int64_t now_ns) noexcept {
    const std::int64_t elapsed = now_ns - last_change_ns_.load(std::memory_order_relaxed);
    if (elapsed <= 0) return;
    const std::uint64_t flying = in_flight();
    last_change_ns_.store(now_ns, std::memory_order_relaxed);
    if (flying == 0) return;
    add(run_sum_ns, static_cast<std::uint64_t>(elapsed) * flying);
    add(run_busy_ns, static_cast<std::uint64_t>(elapsed));
  }
  void end_silence(std::int64_t now_ns) noexcept {
    const auto silence =
        static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns - silent_since_ns_, 0));
    if (silence > longest_silence_ns.load(std::memory_order_relaxed)) {
      longest_silence_ns.store(silence, std::memory_order_relaxed);
    }
    silent_since_ns_ = now_ns;
  }

  Counter in_flight_{0};
  Counter worst_slip_ns_{0};
  std::atomic<std::int64_t> last_change_ns_{0};
  std::int64_t last_issue_ns_ = 0;
  std::int64_t silent_since_ns_ = 0;
};

}  // namespace rigel
