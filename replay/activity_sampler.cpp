#include "replay/activity_sampler.hpp"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "replay/replay_clock.hpp"

namespace rigel {

ActivitySampler::ActivitySampler(std::span<const TargetActivity> targets, std::int64_t start_ns,
                                 std::int64_t interval_ns, OnSample on_sample)
    : targets_(targets),
      start_ns_(start_ns),
      interval_ns_(interval_ns),
      on_sample_(std::move(on_sample)),
      before_(targets.size()) {
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
  std::unique_lock lock{mutex_};
  while (!ended_) {
    // The next multiple of the interval: a sample taken late makes that one longer and the next one
    // shorter. steady_clock is CLOCK_MONOTONIC.
    const std::int64_t next_ns = (taken_ns_ / interval_ns_ + 1) * interval_ns_;
    const std::chrono::steady_clock::time_point until{
        std::chrono::nanoseconds{start_ns_ + next_ns}};
    if (!wake_.wait_until(lock, until, [this] { return ended_; })) take();
  }
  take();
}

void ActivitySampler::take() {
  const std::int64_t now_ns = MonotonicClock{}.now_ns() - start_ns_;
  if (now_ns <= taken_ns_) return;
  sample_.from_ns = taken_ns_;
  sample_.to_ns = now_ns;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const ActivityCounts counts = targets_[i].counts(now_ns);
    sample_.targets[i] = counts.since(before_[i]);
    before_[i] = counts;
  }
  taken_ns_ = now_ns;
  on_sample_(sample_);
}

}  // namespace rigel
