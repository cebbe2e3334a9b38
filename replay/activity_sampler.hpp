// Looks at what the targets of a replay do, every so often, on a thread of its own: the source of
// time series and live tables. Intervals end at multiples of their length since the replay's start.
//
// The destructor takes the last, shorter sample and waits for the thread. Targets must outlive it.
// `on_sample` is called on the sampler's thread only and must not throw.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "replay/target_activity.hpp"

namespace rigel {

struct ActivitySample {
  std::int64_t from_ns = 0;  // since the replay's start
  std::int64_t to_ns = 0;
  std::vector<ActivityCounts> targets;  // what each gained in between
};

class ActivitySampler {
 public:
  using OnSample = std::function<void(const ActivitySample&)>;
  ActivitySampler(std::span<const TargetActivity> targets, std::int64_t start_ns,
                  std::int64_t interval_ns, OnSample on_sample);
  ~ActivitySampler();
  ActivitySampler(const ActivitySampler&) = delete;
  ActivitySampler& operator=(const ActivitySampler&) = delete;

 private:
  void run();
  void take();

  std::span<const TargetActivity> targets_;
  std::int64_t start_ns_;
  std::int64_t interval_ns_;
  OnSample on_sample_;
  std::int64_t taken_ns_ = 0;
  std::vector<ActivityCounts> before_;
  ActivitySample sample_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace rigel
