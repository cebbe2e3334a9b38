#include "replay/orion_loop.hpp"

#include <algorithm>
#include <cerrno>

namespace rigel {
namespace {

constexpr std::int64_t kGiveUpNs = 60'000'000'000;  // an I/O unanswered for so long is given up
constexpr std::int64_t kLookAtStopNs = 100'000'000;

void merge_kind(OrionMeasurement& into, const OrionMeasurement& share) {
  into.reads.merge(share.reads);
  into.writes.merge(share.writes);
  into.seconds += share.seconds;
}

}  // namespace

void OrionPointResult::merge(const OrionPointResult& share) {
  merge_kind(measured.small, share.measured.small);
  merge_kind(measured.large, share.measured.large);
  seconds.resize(std::max(seconds.size(), share.seconds.size()));
  for (std::size_t i = 0; i < share.seconds.size(); ++i) {
    const OrionSecond& from = share.seconds[i];
    seconds[i].ios += from.ios;
    seconds[i].bytes += from.bytes;
    seconds[i].latency_sum_ns += from.latency_sum_ns;
    seconds[i].latency_max_ns = std::max(seconds[i].latency_max_ns, from.latency_max_ns);
  }
  issued += share.issued;
  random_small_reads += share.random_small_reads;
  for (const auto& [code, count] : share.errors) errors[code] += count;
  stopped = stopped || share.stopped;
}

OrionLoop::OrionLoop(OrionLanes& lanes, IoEngine& engine, ReplayClock& clock,
                     const DataPattern& pattern, std::span<RecordingLane* const> recording)
    : lanes_{lanes},
      engine_{engine},
      clock_{clock},
      pattern_{pattern},
      recording_{recording},
      state_(lanes.size()),
      unmeasured_{lanes.size()} {
  idle_.reserve(lanes.size());
  for (std::uint32_t lane = lanes.size(); lane > 0; --lane) idle_.push_back(lane - 1);
}

OrionPointResult OrionLoop::run(std::int64_t begin_ns, const Ends& ends) {
  ends_ = ends;
  begin_ns_ = begin_ns;
  end_ns_ = begin_ns_ + ends_.duration_ns;
  std::int64_t now_ns = begin_ns_;
  while (goes_on(now_ns)) {
    issue();
    wait(now_ns < end_ns_ ? std::min(end_ns_ - now_ns, kLookAtStopNs) : kLookAtStopNs);
    reap(true);
    now_ns = clock_.now_ns();
    time_passes(now_ns);
  }
  result_.stopped = ends_.stop != nullptr && *ends_.stop;
  drain(std::min(now_ns, end_ns_) + kGiveUpNs);
  if (failure_ != 0) ++result_.errors[failure_];
  add_measured_time();
  return std::move(result_);
}

bool OrionLoop::goes_on(std::int64_t now_ns) const {
  if (*ends_.failed || (ends_.stop != nullptr && *ends_.stop)) return false;
  if (moved_bytes_ >= ends_.bytes) return false;
  return now_ns < end_ns_ || (unmeasured_ > 0 && now_ns < end_ns_ + kGiveUpNs);
}

void OrionLoop::fail(int error) {
  failure_ = error;
  *ends_.failed = true;
}

void OrionLoop::issue() {
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
      state_[batch_[i]].issue_ns = now_ns;
      if (!recording_.empty()) record(batch_[i]);
    }
    in_flight_ += batch;
    result_.issued += batch;
    if (idle_.empty()) return;  // wait() hands these over
    if (const int code = engine_.submit(0, 0); code < 0) return fail(-code);
  }
}

bool OrionLoop::prepare(std::uint32_t lane) {
  IoRequest request = lanes_.next(lane);
  request.slot = lane;
  request.buffer = engine_.acquire_buffer(request.length_bytes);
  if (request.buffer.id == BufferRef::kNone) {
    fail(ENOMEM);
    return false;
  }
  if (request.op == IoOp::kWrite) {
    pattern_.fill({engine_.buffer_data(request.buffer), request.length_bytes}, request.offset_bytes,
                  ++writes_);
  }
  engine_.prepare(request);
  state_[lane].request = request;
  return true;
}

void OrionLoop::wait(std::int64_t timeout_ns) {
  if (const int code = engine_.submit(in_flight_ > 0 ? 1 : 0, timeout_ns); code < 0) fail(-code);
}

void OrionLoop::reap(bool measure) {
  std::array<IoCompletion, IoEngine::kMaxBatch> done;
  while (engine_.completion_ready()) {
    const std::size_t count = engine_.reap(done);
    const std::int64_t now_ns = clock_.now_ns();
    for (std::size_t i = 0; i < count; ++i) complete(done[i], now_ns, measure);
    if (count < done.size()) return;
  }
}

void OrionLoop::complete(const IoCompletion& completion, std::int64_t now_ns, bool measure) {
  Lane& lane = state_[completion.slot];
  const IoRequest& request = lane.request;
  engine_.release_buffer(request.buffer);
  idle_.push_back(completion.slot);
  --in_flight_;
  const bool whole = completion.result == static_cast<std::int32_t>(request.length_bytes);
  const int error = completion.result < 0 ? -completion.result : whole ? 0 : EIO;
  if (!recording_.empty()) recording_.front()->completed(completion.slot, now_ns, error);
  const bool small = lanes_.is_small(completion.slot);
  if (measure && !lane.measured) this->measure(lane, small, error != 0, now_ns);
  if (error != 0) {
    ++result_.errors[error];
    return;
  }
  moved_bytes_ += request.length_bytes;
  if (measure && now_ns <= end_ns_) count_in_second(lane, now_ns);
  if (small && request.op == IoOp::kRead) ++result_.random_small_reads;
}

// The time of a failed I/O is the lane's, but it is none of the I/Os that the figures are of.
void OrionLoop::measure(Lane& lane, bool small, bool failed, std::int64_t now_ns) {
  if (lane.first_answer_ns < 0) {
    lane.first_answer_ns = now_ns;
  } else if (!failed) {
    OrionMeasurement& kind = small ? result_.measured.small : result_.measured.large;
    (lane.request.op == IoOp::kRead ? kind.reads : kind.writes).add(now_ns - lane.issue_ns);
  }
  lane.last_answer_ns = now_ns;
  if (now_ns < end_ns_) return;
  lane.measured = true;
  --unmeasured_;
}

void OrionLoop::add_measured_time() {
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    const Lane& lane = state_[i];
    if (lane.first_answer_ns < 0) continue;
    (lanes_.is_small(i) ? result_.measured.small : result_.measured.large).seconds +=
        static_cast<double>(lane.last_answer_ns - lane.first_answer_ns) / 1e9;
  }
}

// Seconds come into being as they pass; one a second is no burden on the loop.
void OrionLoop::count_in_second(const Lane& lane, std::int64_t now_ns) {
  const auto second = static_cast<std::size_t>((now_ns - begin_ns_) / 1'000'000'000);
  if (second >= result_.seconds.size()) result_.seconds.resize(second + 1);
  OrionSecond& into = result_.seconds[second];
  const std::int64_t latency_ns = now_ns - lane.issue_ns;
  ++into.ios;
  into.bytes += lane.request.length_bytes;
  into.latency_sum_ns += latency_ns;
  into.latency_max_ns = std::max(into.latency_max_ns, latency_ns);
}

void OrionLoop::record(std::uint32_t lane) const {
  const IoRequest& request = state_[lane].request;
  IoRecord record;
  record.issue_ns = state_[lane].issue_ns;
  record.offset_bytes = request.offset_bytes;
  record.length_bytes = request.length_bytes;
  record.device = request.target;
  record.op = request.op;
  recording_.front()->issued(lane, record);
}

void OrionLoop::time_passes(std::int64_t now_ns) const {
  for (RecordingLane* lane : recording_) lane->passed(now_ns);
}

void OrionLoop::drain(std::int64_t give_up_ns) {
  for (std::int64_t now_ns = 0; in_flight_ > 0 && now_ns < give_up_ns; now_ns = clock_.now_ns()) {
    if (engine_.submit(1, kLookAtStopNs) < 0) return;
    reap(false);
  }
  if (in_flight_ > 0) result_.errors[ETIMEDOUT] += in_flight_;
}

}  // namespace rigel
