#include "replay/activity_sampler.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "replay/replay_clock.hpp"

namespace rigel {

std::int64_t ActivitySampler::tick_ns(std::int64_t interval_ns) {
  return std::min(interval_ns, kLongestTickNs);
}

ActivitySampler::ActivitySampler(std::span<TargetActivity> targets, std::int64_t start_ns,
                                 std::int64_t interval_ns, OnSample on_sample,
                                 ReplayTimeline& timeline)
    : targets_(targets),
      start_ns_(start_ns),
      interval_ns_(interval_ns),
      on_sample_(std::move(on_sample)),
      timeline_(timeline),
      before_(targets.size()),
      gained_(targets.size()) {
  sample_.targets.resize(targets.size());
  thread_ = std::thread{[this] { run(); }};
}

ActivitySampler::~ActivitySampler() {
  {
    const std::lock_guard lock{mutex_};
    ended_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ActivitySampler::run() {
  pthread_setname_np(pthread_self(), "rigel-sample");
  const std::int64_t tick = tick_ns(interval_ns_);
  std::unique_lock lock{mutex_};
  while (!ended_) {
    // The next multiple of either: a sample taken late makes that one longer and the next one
    // shorter. steady_clock is CLOCK_MONOTONIC.
    const auto next_after = [this](std::int64_t step) { return (taken_ns_ / step + 1) * step; };
    const std::int64_t next_ns = std::min(next_after(tick), next_after(interval_ns_));
    const std::chrono::steady_clock::time_point until{
        std::chrono::nanoseconds{start_ns_ + next_ns}};
    if (!wake_.wait_until(lock, until, [this] { return ended_; })) take(false);
  }
  take(true);
}

void ActivitySampler::take(bool is_last) {
  const std::int64_t now_ns = std::max(MonotonicClock{}.now_ns() - start_ns_, taken_ns_);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const ActivityCounts counts = targets_[i].counts(now_ns);
    gained_[i] = counts.since(before_[i]);
    gained_[i].worst_slip_ns = targets_[i].take_worst_slip();
    before_[i] = counts;
    sample_.targets[i].then(gained_[i]);
  }
  timeline_.add(taken_ns_, now_ns, gained_);
  taken_ns_ = now_ns;
  if (!on_sample_ || now_ns == sample_.from_ns) return;
  if (!is_last && now_ns / interval_ns_ == sample_.from_ns / interval_ns_) return;
  sample_.to_ns = now_ns;
  on_sample_(sample_);
  sample_.from_ns = now_ns;
  std::fill(sample_.targets.begin(), sample_.targets.end(), ActivityCounts{});
}

}  // namespace rigel
