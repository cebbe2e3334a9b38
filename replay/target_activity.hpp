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

struct alignas(64) TargetActivity {
  using Counter = std::atomic<std::uint64_t>;
  Counter issued{0};
  Counter reads{0};  // completed, as the following four
  Counter writes{0};
  Counter others{0};
  Counter read_bytes{0};
  Counter write_bytes{0};
  Counter errors{0};
  Counter wait_sum_ns{0};          // sum over I/Os of the time between due and issued
  Counter wait_busy_ns{0};         // time with at least one I/O waiting
  Counter run_sum_ns{0};           // integral of the number in flight
  Counter run_busy_ns{0};          // time with at least one in flight
  Counter recorded_service_ns{0};  // sum of the recorded service times of what was issued

  void on_issue(std::int64_t due_ns, std::int64_t issue_ns, std::uint32_t recorded_ns) noexcept {
    add(issued, 1);
    add(recorded_service_ns, recorded_ns);
    if (issue_ns > due_ns) {
      add(wait_sum_ns, static_cast<std::uint64_t>(issue_ns - due_ns));
      const std::int64_t from = std::max(due_ns, last_issue_ns_);
      if (issue_ns > from) add(wait_busy_ns, static_cast<std::uint64_t>(issue_ns - from));
    }
    last_issue_ns_ = std::max(last_issue_ns_, issue_ns);
    advance(issue_ns);
    ++in_flight_;
  }

  void on_complete(std::int64_t now_ns, IoOp op, std::uint32_t bytes, bool failed) noexcept {
    advance(now_ns);
    --in_flight_;
    if (op == IoOp::kRead) {
      add(reads, 1);
      add(read_bytes, bytes);
    } else if (op == IoOp::kWrite) {
      add(writes, 1);
      add(write_bytes, bytes);
    } else {
      add(others, 1);
    }
    if (failed) add(errors, 1);
  }

  [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_; }

 private:
  // Only one thread writes: a load and a store, not an atomic addition.
  static void add(Counter& counter, std::uint64_t value) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  void advance(std::int64_t now_ns) noexcept {
    const std::int64_t elapsed = now_ns - last_change_ns_;
    if (elapsed <= 0) return;
    last_change_ns_ = now_ns;
    if (in_flight_ == 0) return;
    add(run_sum_ns, static_cast<std::uint64_t>(elapsed) * in_flight_);
    add(run_busy_ns, static_cast<std::uint64_t>(elapsed));
  }

  std::uint32_t in_flight_ = 0;
  std::int64_t last_change_ns_ = 0;
  std::int64_t last_issue_ns_ = 0;
};

}  // namespace rigel
