#include "replay/orion_runner.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "replay/orion_lanes.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kWarmUpNs = 120'000'000'000;
constexpr std::int64_t kDrainNs = 60'000'000'000;  // an I/O unanswered for so long is given up
constexpr std::int64_t kLookAtStopNs = 100'000'000;

std::uint32_t warming_outstanding(const OrionParameters& parameters) {
  return std::max(1U, 2 * parameters.num_disks);
}

struct Outstanding {
  IoRequest request;
  std::int64_t issue_ns = 0;
};

// One point while it runs.
class Loop {
 public:
  Loop(OrionLanes& lanes, IoEngine& engine, ReplayClock& clock, const DataPattern& pattern,
       const OrionRunOptions& options, OrionPointResult& result)
      : lanes_{lanes},
        engine_{engine},
        clock_{clock},
        pattern_{pattern},
        options_{options},
        result_{result},
        outstanding_(lanes.size()),
        first_answers_left_{lanes.size()} {
    idle_.reserve(lanes.size());
    for (std::uint32_t lane = lanes.size(); lane > 0; --lane) idle_.push_back(lane - 1);
  }

  // Until `duration_ns` have passed or `limit_bytes` have been moved, then waits for what is left.
  void run(std::int64_t duration_ns, std::uint64_t limit_bytes) {
    begin_ns_ = clock_.now_ns();
    end_ns_ = begin_ns_ + duration_ns;
    std::int64_t now_ns = begin_ns_;
    while (now_ns < end_ns_ && moved_bytes_ < limit_bytes && !stopped() && failure_ == 0) {
      issue();
      wait(std::min(end_ns_ - now_ns, kLookAtStopNs));
      reap(true);
      now_ns = clock_.now_ns();
    }
    const std::int64_t last_ns = std::min(now_ns, end_ns_);
    const double seconds = measuring_ ? static_cast<double>(last_ns - measured_from_ns_) / 1e9 : 0;
    result_.measured.small.seconds = seconds;
    result_.measured.large.seconds = seconds;
    result_.stopped = stopped();
    drain();
    if (failure_ != 0) ++result_.errors[-failure_];
  }

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && *options_.stop; }

  void issue() {
    while (!idle_.empty()) {
      unsigned batch = 0;
      while (!idle_.empty() && batch < IoEngine::kMaxBatch) {
        if (!prepare(idle_.back())) break;
        batch_[batch++] = idle_.back();
        idle_.pop_back();
      }
      if (batch == 0) return;
      const std::int64_t now_ns = clock_.now_ns();
      for (unsigned i = 0; i < batch; ++i) {
        outstanding_[batch_[i]].issue_ns = now_ns;
        if (options_.recording != nullptr) record(batch_[i]);
      }
      in_flight_ += batch;
      result_.issued += batch;
      if (idle_.empty()) return;  // wait() hands these over
      if (const int code = engine_.submit(0, 0); code < 0) failure_ = code;
    }
  }

  bool prepare(std::uint32_t lane) {
    IoRequest request = lanes_.next(lane);
    request.slot = lane;
    request.buffer = engine_.acquire_buffer(request.length_bytes);
    if (request.buffer.id == BufferRef::kNone) {
      failure_ = -ENOMEM;
      return false;
    }
    if (request.op == IoOp::kWrite) {
      pattern_.fill({engine_.buffer_data(request.buffer), request.length_bytes},
                    request.offset_bytes, ++writes_);
    }
    engine_.prepare(request);
    outstanding_[lane].request = request;
    return true;
  }

  void wait(std::int64_t timeout_ns) {
    if (const int code = engine_.submit(in_flight_ > 0 ? 1 : 0, timeout_ns); code < 0) {
      failure_ = code;
    }
  }

  void reap(bool measure) {
    std::array<IoCompletion, IoEngine::kMaxBatch> done;
    while (engine_.completion_ready()) {
      const std::size_t count = engine_.reap(done);
      const std::int64_t now_ns = clock_.now_ns();
      for (std::size_t i = 0; i < count; ++i) complete(done[i], now_ns, measure);
      if (count < done.size()) return;
    }
  }

  void complete(const IoCompletion& completion, std::int64_t now_ns, bool measure) {
    const Outstanding& io = outstanding_[completion.slot];
    engine_.release_buffer(io.request.buffer);
    idle_.push_back(completion.slot);
    --in_flight_;
    const bool whole = completion.result == static_cast<std::int32_t>(io.request.length_bytes);
    const int error = completion.result < 0 ? -completion.result : whole ? 0 : EIO;
    if (options_.recording != nullptr) {
      options_.recording->completed(completion.slot, now_ns, error);
    }
    if (error != 0) {
      ++result_.errors[error];
      return;
    }
    moved_bytes_ += io.request.length_bytes;
    if (measure) count_in_second(io, now_ns);
    const bool small = lanes_.is_small(completion.slot);
    if (small && io.request.op == IoOp::kRead) ++result_.random_small_reads;
    if (measuring_ && measure && now_ns <= end_ns_) {
      OrionMeasurement& kind = small ? result_.measured.small : result_.measured.large;
      (io.request.op == IoOp::kRead ? kind.reads : kind.writes).add(now_ns - io.issue_ns);
    }
    if (first_answers_left_ > 0 && --first_answers_left_ == 0) {
      measuring_ = true;
      measured_from_ns_ = now_ns;
    }
  }

  // Seconds come into being as they pass; one a second is no burden on the loop.
  void count_in_second(const Outstanding& io, std::int64_t now_ns) {
    const auto second = static_cast<std::size_t>((now_ns - begin_ns_) / 1'000'000'000);
    if (second >= result_.seconds.size()) result_.seconds.resize(second + 1);
    OrionSecond& into = result_.seconds[second];
    const std::int64_t latency_ns = now_ns - io.issue_ns;
    ++into.ios;
    into.bytes += io.request.length_bytes;
    into.latency_sum_ns += latency_ns;
    into.latency_max_ns = std::max(into.latency_max_ns, latency_ns);
  }

  void record(std::uint32_t lane) const {
    const Outstanding& io = outstanding_[lane];
    IoRecord record;
    record.issue_ns = io.issue_ns;
    record.offset_bytes = io.request.offset_bytes;
    record.length_bytes = io.request.length_bytes;
    record.device = io.request.target;
    record.op = io.request.op;
    options_.recording->issued(lane, record);
  }

  void drain() {
    const std::int64_t give_up_ns = clock_.now_ns() + kDrainNs;
    while (in_flight_ > 0 && clock_.now_ns() < give_up_ns) {
      if (engine_.submit(1, kLookAtStopNs) < 0) return;
      reap(false);
    }
    if (in_flight_ > 0) result_.errors[ETIMEDOUT] += in_flight_;
  }

  OrionLanes& lanes_;
  IoEngine& engine_;
  ReplayClock& clock_;
  const DataPattern& pattern_;
  const OrionRunOptions& options_;
  OrionPointResult& result_;
  std::vector<Outstanding> outstanding_;  // by lane
  std::vector<std::uint32_t> idle_;
  std::array<std::uint32_t, IoEngine::kMaxBatch> batch_{};
  std::uint32_t in_flight_ = 0;
  std::uint32_t first_answers_left_;  // before the figures begin
  bool measuring_ = false;
  std::int64_t measured_from_ns_ = 0;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t moved_bytes_ = 0;
  std::uint64_t writes_ = 0;
  int failure_ = 0;  // negative errno that ended the point
};

}  // namespace

OrionRunner::OrionRunner(const OrionParameters& parameters, const OrionVolume& volume,
                         IoEngine& engine, ReplayClock& clock, const DataPattern& pattern,
                         OrionRunOptions options)
    : parameters_{parameters},
      volume_{volume},
      engine_{engine},
      clock_{clock},
      pattern_{pattern},
      options_{std::move(options)} {}

OrionPointResult OrionRunner::run_point(OrionPoint point, std::uint32_t number) {
  OrionPointResult result;
  result.measured.small_outstanding = point.small;
  result.measured.large_outstanding = point.large;
  result.measured.small.request_bytes = parameters_.small_bytes;
  result.measured.large.request_bytes = parameters_.large_bytes;
  if (point == OrionPoint{}) return result;
  OrionLanes lanes{parameters_, volume_, point, options_.seed, number, options_.no_repeat};
  Loop{lanes, engine_, clock_, pattern_, options_, result}.run(
      parameters_.duration_ns, std::numeric_limits<std::uint64_t>::max());
  return result;
}

std::uint32_t OrionRunner::most_outstanding(const OrionParameters& parameters,
                                            std::span<const OrionPoint> points) {
  std::uint32_t most = warming_outstanding(parameters);
  for (const OrionPoint point : points) {
    most = std::max(most, point.small + point.large * parameters.stream_io);
  }
  return most;
}

OrionPointResult OrionRunner::warm_cache(std::uint32_t number) {
  OrionPointResult result;
  OrionParameters random = parameters_;
  random.sequential = false;
  OrionLanes lanes{
      random, volume_, {0, warming_outstanding(parameters_)}, options_.seed ^ ~std::uint64_t{0},
      number, false};
  // A cache of known size has been filled when that much went through it.
  const std::uint64_t limit =
      parameters_.cache_bytes.value_or(std::numeric_limits<std::uint64_t>::max());
  Loop{lanes, engine_, clock_, pattern_, options_, result}.run(
      parameters_.cache_bytes ? std::numeric_limits<std::int64_t>::max() / 4 : kWarmUpNs, limit);
  return result;
}

}  // namespace rigel
