#include "replay/orion_runner.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "replay/start_gate.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kWarmUpNs = 120'000'000'000;

std::uint32_t warming_outstanding(const OrionParameters& parameters) {
  return std::max(1U, 2 * parameters.num_disks);
}

// One of the threads that issue a point's I/Os.
class OrionThread {
 public:
  OrionThread(OrionLanes& lanes, IoEngine& engine, ReplayClock& clock, const DataPattern& pattern,
              std::vector<RecordingLane*> recording, const OrionLoop::Ends& ends, StartGate& gate)
      : engine_{engine},
        recording_{std::move(recording)},
        ends_{ends},
        loop_{lanes, engine, clock, pattern, recording_},
        thread_{[this, &gate] { run(gate); }} {}

  // Waits for it to end; throws what kept it from starting.
  OrionPointResult join() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(result_);
  }

 private:
  void run(StartGate& gate) noexcept {
    pthread_setname_np(pthread_self(), "rigel-issue");
    bool arrived = false;
    try {
      engine_.attach();
      arrived = true;
      gate.ready.count_down();
      gate.open.wait();
      if (!gate.cancelled) result_ = loop_.run(gate.start_ns, ends_);
    } catch (...) {
      failure_ = std::current_exception();
      gate.cancelled = true;
      *ends_.failed = true;
      if (!arrived) gate.ready.count_down();
    }
  }

  IoEngine& engine_;
  std::vector<RecordingLane*> recording_;
  OrionLoop::Ends ends_;
  OrionLoop loop_;
  OrionPointResult result_;
  std::exception_ptr failure_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace

OrionRunner::OrionRunner(const OrionParameters& parameters, const OrionVolume& volume,
                         MakeEngine make_engine, ReplayClock& clock, const DataPattern& pattern,
                         OrionRunOptions options)
    : parameters_{parameters},
      volume_{volume},
      make_engine_{std::move(make_engine)},
      clock_{clock},
      pattern_{pattern},
      options_{std::move(options)} {}

OrionPointResult OrionRunner::run(Lanes& lanes, OrionLoop::Ends ends) {
  std::atomic<bool> failed{false};
  ends.stop = options_.stop;
  ends.failed = &failed;
  StartGate gate{static_cast<std::ptrdiff_t>(lanes.size())};
  std::vector<std::unique_ptr<OrionThread>> threads;
  std::exception_ptr failure;
  try {
    for (std::uint32_t thread = 0; thread < lanes.size(); ++thread) {
      // A thread sees to it that recordings which no thread of this point writes are not waited
      // for.
      std::vector<RecordingLane*> recording;
      for (std::size_t i = thread; i < options_.recording.size(); i += lanes.size()) {
        recording.push_back(options_.recording[i]);
      }
      IoEngine& engine = make_engine_(thread, lanes[thread].size());
      threads.push_back(std::make_unique<OrionThread>(lanes[thread], engine, clock_, pattern_,
                                                      std::move(recording), ends, gate));
    }
    gate.ready.wait();
    gate.start_ns = clock_.now_ns();
  } catch (...) {
    failure = std::current_exception();
    gate.cancelled = true;
  }
  gate.open.count_down();
  OrionPointResult result;
  for (const auto& thread : threads) {
    try {
      result.merge(thread->join());
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return result;
}

OrionPointResult OrionRunner::run_point(OrionPoint point, std::uint32_t number) {
  OrionPointResult result;
  if (!(point == OrionPoint{})) {
    Lanes lanes;
    const std::uint32_t threads = threads_of(parameters_, point, options_.cpus);
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      lanes.emplace_back(parameters_, volume_, point, OrionShare{thread, threads}, options_.seed,
                         number, options_.no_repeat);
    }
    OrionLoop::Ends ends;
    ends.duration_ns = parameters_.duration_ns;
    result = run(lanes, ends);
  }
  // From the time of all lanes together to the mean of a lane's.
  const OrionLaneCount count = lanes_of(parameters_, point);
  OrionMeasuredPoint& measured = result.measured;
  measured.small.seconds /= std::max(count.small, 1U);
  measured.large.seconds /= std::max(count.large, 1U);
  measured.small_outstanding = point.small;
  measured.large_outstanding = point.large;
  measured.small.request_bytes = parameters_.small_bytes;
  measured.large.request_bytes = parameters_.large_bytes;
  return result;
}

std::uint32_t OrionRunner::most_outstanding(const OrionParameters& parameters,
                                            std::span<const OrionPoint> points) {
  std::uint32_t most = warming_outstanding(parameters);
  for (const OrionPoint point : points) {
    const OrionLaneCount count = lanes_of(parameters, point);
    most = std::max(most, count.small + count.large);
  }
  return most;
}

std::uint32_t OrionRunner::most_threads(const OrionParameters& parameters,
                                        std::span<const OrionPoint> points, std::uint32_t cpus) {
  std::uint32_t most = 1;
  for (const OrionPoint point : points) most = std::max(most, threads_of(parameters, point, cpus));
  return most;
}

OrionPointResult OrionRunner::warm_cache(std::uint32_t number) {
  OrionParameters random = parameters_;
  random.sequential = false;
  const OrionPoint point{0, warming_outstanding(parameters_)};
  Lanes lanes;
  lanes.emplace_back(random, volume_, point, OrionShare{}, options_.seed ^ ~std::uint64_t{0},
                     number, false);
  // A cache of known size has been filled when that much went through it.
  OrionLoop::Ends ends;
  ends.duration_ns = kWarmUpNs;
  if (parameters_.cache_bytes) {
    ends.duration_ns = std::numeric_limits<std::int64_t>::max() / 4;
    ends.bytes = *parameters_.cache_bytes;
  }
  return run(lanes, ends);
}

}  // namespace rigel
