// A clock that nobody waits for and an engine whose I/O takes as long as the test says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "replay/io_engine.hpp"
#include "replay/replay_clock.hpp"

namespace rigel {

// Every look at it takes 20 ns, as the real one does; so whoever spins on it gets on.
class FakeClock final : public ReplayClock {
 public:
  static constexpr std::int64_t kLookNs = 20;
  std::int64_t now_ns() noexcept override { return now_ += kLookNs; }
  [[nodiscard]] std::int64_t peek() const { return now_; }
  void advance_to(std::int64_t ns) { now_ = std::max(now_, ns); }

 private:
  std::int64_t now_ = 0;
};

class FakeEngine final : public IoEngine {
 public:
  struct Issued {
    IoRequest request;
    std::int64_t at_ns;
    std::int64_t done_ns;
  };
  // How an I/O that is issued at a time turns out.
  struct Outcome {
    std::int64_t service_ns = 10'000;
    std::int32_t result = 0;  // 0: all of it
  };

  explicit FakeEngine(FakeClock& clock) : clock_(clock) {}

  std::function<Outcome(const IoRequest&, std::int64_t)> outcome = [](auto&, auto) {
    return Outcome{};
  };
  std::function<void()> on_attach;
  std::int64_t submit_ns = 1'000;    // that the kernel takes for each I/O
  std::int64_t wake_up_late_ns = 0;  // of every sleep that ends by its timeout
  std::size_t buffers = 1'000'000;   // that there are
  int fail_submit = 0;               // errno of every submission from now on

  [[nodiscard]] const std::vector<Issued>& issued() const { return issued_; }
  [[nodiscard]] int most_outstanding() const {
    std::map<std::int64_t, int> changes;  // time -> I/Os more or fewer
    for (const Issued& io : issued_) {
      ++changes[io.at_ns];
      --changes[io.done_ns];
    }
    int outstanding = 0;
    int most = 0;
    for (const auto& [at, change] : changes) most = std::max(most, outstanding += change);
    return most;
  }
  [[nodiscard]] std::size_t buffers_out() const { return buffers_out_; }
  [[nodiscard]] std::uint64_t sleeps() const { return sleeps_; }

  void attach() override {
    if (on_attach) on_attach();
  }
  BufferRef acquire_buffer(std::uint32_t) noexcept override {
    if (buffers_out_ == buffers) return {};
    ++buffers_out_;
    return {1};
  }
  void release_buffer(BufferRef) noexcept override { --buffers_out_; }
  std::byte* buffer_data(BufferRef) noexcept override { return memory_.data(); }
  void prepare(const IoRequest& request) noexcept override { prepared_.push_back(request); }

  int submit(unsigned wait_for, std::int64_t timeout_ns) noexcept override {
    if (fail_submit != 0) return -fail_submit;
    for (const IoRequest& request : prepared_) {
      const std::int64_t at = clock_.peek();
      const Outcome outcome_now = outcome(request, at);
      issued_.push_back({request, at, at + outcome_now.service_ns});
      const std::int32_t all = static_cast<std::int32_t>(request.length_bytes);
      pending_.push_back({at + outcome_now.service_ns,
                          {request.slot, outcome_now.result == 0 ? all : outcome_now.result}});
      clock_.advance_to(at + submit_ns);
    }
    prepared_.clear();
    if (wait_for == 0) return 0;
    ++sleeps_;
    sort();
    const std::int64_t until =
        timeout_ns < 0 ? std::int64_t{1} << 60 : clock_.peek() + timeout_ns + wake_up_late_ns;
    const std::int64_t done =
        pending_.size() >= wait_for ? pending_[wait_for - 1].done_ns : std::int64_t{1} << 60;
    clock_.advance_to(std::min(until, done));
    return 0;
  }
  bool completion_ready() noexcept override {
    return std::any_of(pending_.begin(), pending_.end(),
                       [&](const Pending& io) { return io.done_ns <= clock_.peek(); });
  }
  std::size_t reap(std::span<IoCompletion> into) noexcept override {
    sort();
    std::size_t count = 0;
    while (count < into.size() && count < pending_.size() &&
           pending_[count].done_ns <= clock_.peek()) {
      into[count] = pending_[count].completion;
      ++count;
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

 private:
  struct Pending {
    std::int64_t done_ns;
    IoCompletion completion;
  };
  void sort() {
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const Pending& a, const Pending& b) { return a.done_ns < b.done_ns; });
  }

  FakeClock& clock_;
  std::vector<IoRequest> prepared_;
  std::vector<Pending> pending_;
  std::vector<Issued> issued_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(1 << 20);
  std::size_t buffers_out_ = 0;
  std::uint64_t sleeps_ = 0;
};

// An outcome() whose latencies differ from block to block, evenly between 1 and 61 ms.
inline std::int64_t uneven_latency_ns(std::uint64_t offset_bytes) {
  return static_cast<std::int64_t>(1'000'000 + offset_bytes / 8192 * 7919 % 60'000'000);
}
inline FakeEngine::Outcome uneven(const IoRequest& io, std::int64_t) {
  return {uneven_latency_ns(io.offset_bytes)};
}

}  // namespace rigel
