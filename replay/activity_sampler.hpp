// Looks at what the targets of a replay do, every so often, on a thread of its own: the source of
// time series, live tables and the timeline. Intervals end at multiples of their length since the
// replay's start; those longer than kLongestTickNs are put together from several looks, so that the
// timeline does not depend on them.
//
// The destructor takes the last, shorter sample and waits for the thread. Targets and timeline must
// outlive it, and the timeline is the sampler's until then. `on_sample` may be empty, is called on
// the sampler's thread only and must not throw.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "replay/replay_timeline.hpp"
#include "replay/target_activity.hpp"

namespace rigel {

struct ActivitySample {
  std::int64_t from_ns = 0;  // since the replay's start
  std::int64_t to_ns = 0;
  std::vector<ActivityCounts> targets;  // what each gained in between
};

class ActivitySampler {
 public:
  static constexpr std::int64_t kLongestTickNs = 100'000'000;
  // The length of the timeline's intervals for samples of `interval_ns`.
  [[nodiscard]] static std::int64_t tick_ns(std::int64_t interval_ns);

  using OnSample = std::function<void(const ActivitySample&)>;
  ActivitySampler(std::span<TargetActivity> targets, std::int64_t start_ns,
                  std::int64_t interval_ns, OnSample on_sample, ReplayTimeline& timeline);
  ~ActivitySampler();
  ActivitySampler(const ActivitySampler&) = delete;
  ActivitySampler& operator=(const ActivitySampler&) = delete;

 private:
  void run();
  void take(bool is_last);

  std::span<TargetActivity> targets_;
  std::int64_t start_ns_;
  std::int64_t interval_ns_;
  OnSample on_sample_;
  ReplayTimeline& timeline_;
  std::int64_t taken_ns_ = 0;
  std::vector<ActivityCounts> before_;
  std::vector<ActivityCounts> gained_;  // since the last look
  ActivitySample sample_;               // since the last one that was handed out
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace rigel
