#include "replay/issuer.hpp"

#include <algorithm>
#include <cerrno>

namespace rigel {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// Longest stay in the kernel: how soon a stop is seen.
constexpr std::int64_t kMaxSleepNs = 50'000'000;
// How often an empty queue is looked at.
constexpr std::int64_t kStarvedSleepNs = 50'000;
// With a deadline nearer than this, completions wait: reaping would make the next issue late.
constexpr std::int64_t kReapCostNs = 2'000;
// I/Os handed over together when several are due. From three on, io_uring holds them back in a
// plug, where the block layer merges neighbours: the device would see other I/O than was recorded.
constexpr unsigned kPacedBatch = 2;
constexpr unsigned kClosedLoopBatch = 32;
// Flags that the engine acts on; the others were the recorded I/O's own circumstances.
constexpr std::uint32_t kReplayedFlags = io_flag::kFua;
// In closed loop, how long completions may be left lying to save system calls.
constexpr double kCompletionDelayNs = 20'000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Issuer::Issuer(std::span<const IssuerTarget> targets, const IssuerOptions& options,
               IoEngine& engine, LatencyTable& table, const DataPattern& pattern,
               ReplayClock& clock)
    : options_(options),
      engine_(engine),
      table_(table),
      pattern_(pattern),
      clock_(clock),
      pacer_(options.spin) {
  for (const IssuerTarget& target : targets) targets_.push_back({target});
  const std::size_t slots = targets_.size() * options_.depth;
  slots_.resize(slots);
  free_slots_.reserve(slots);
  for (std::size_t i = slots; i-- > 0;) free_slots_.push_back(static_cast<std::uint32_t>(i));
  const bool verifies = std::any_of(targets.begin(), targets.end(), [](const IssuerTarget& target) {
    return target.verifier != nullptr;
  });
  if (verifies) verified_.resize(slots);
  if (options.timing == ReplayTiming::kDependent) {
    streams_.emplace(*targets_.front().target.queue, slots);
  }
}

IssuerResult Issuer::run(std::int64_t start_ns) {
  start_ns_ = start_ns;
  while (now() < 0) relax();  // no time of the replay is before its start
  while (true) {
    const std::int64_t at = now();
    if (options_.recording != nullptr) options_.recording->passed(start_ns_ + at);
    const bool stop = stopping(at);
    if (!stop && fill_batch(at) > 0) {
      hand_over(at);
      reap();
      continue;
    }
    if (in_flight_ == 0 && (stop || finished())) break;
    if (result_.engine_error != 0) break;  // it gives nothing back either
    if (stop && at - stop_seen_ns_ > kDrainAfterStopNs) break;
    if (stop) next_due_ns_ = kNever;
    rest(at);
    reap();
  }
  if (options_.recording != nullptr) options_.recording->passed(kNever);
  result_.abandoned = in_flight_;
  // What is there now; the read-ahead thread may still be adding to it.
  if (streams_) result_.not_issued = streams_->held() + targets_.front().target.queue->size();
  for (TargetState& state : targets_) {
    if (!streams_) result_.not_issued += state.target.queue->size();
    state.target.activity->on_end(now());
  }
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    if (errors_[i] != 0) result_.errors[static_cast<int>(i)] = errors_[i];
  }
  return std::move(result_);
}

bool Issuer::stopping(std::int64_t now_ns) noexcept {
  if (stop_seen_ns_ >= 0) return true;
  const bool asked = options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  const bool failed = options_.failed != nullptr && *options_.failed;
  if (asked || failed || now_ns >= options_.stop_at_ns || result_.engine_error != 0)
    stop_seen_ns_ = now_ns;
  return stop_seen_ns_ >= 0;
}

bool Issuer::finished() noexcept {
  if (streams_) return streams_->finished();
  return std::all_of(targets_.begin(), targets_.end(),
                     [](TargetState& state) { return state.target.queue->finished(); });
}

// Something should be there to issue, and is not.
bool Issuer::starved() noexcept {
  if (streams_) return streams_->starved();
  return std::any_of(targets_.begin(), targets_.end(), [](TargetState& state) {
    return state.target.queue->front() == nullptr && !state.target.queue->finished();
  });
}

// The target whose next I/O is due first, of those that may take one. Sets next_ and next_due_ns_.
Issuer::TargetState* Issuer::pick(std::int64_t now_ns) noexcept {
  TargetState* best = nullptr;
  next_due_ns_ = kNever;
  if (streams_) return pick_stream(now_ns);
  for (TargetState& state : targets_) {
    const PlannedIo* io = state.target.queue->front();
    if (io == nullptr) {
      if (state.hold == Hold::kNone) state.hold = Hold::kReadAhead;
      continue;
    }
    const std::int64_t due = is_closed_loop() ? now_ns : io->due_ns;
    if (state.in_flight == options_.depth) {
      if (due <= now_ns && state.hold != Hold::kBuffers) state.hold = Hold::kDepth;
      continue;
    }
    if (due >= next_due_ns_) continue;
    next_due_ns_ = due;
    next_ = io;
    best = &state;
  }
  return best;
}

Issuer::TargetState* Issuer::pick_stream(std::int64_t now_ns) noexcept {
  next_ = streams_->front();
  if (next_ == nullptr) return nullptr;
  TargetState& state = targets_[next_->target];
  if (state.in_flight == options_.depth) {
    if (next_->due_ns <= now_ns && state.hold != Hold::kBuffers) state.hold = Hold::kDepth;
    return nullptr;
  }
  next_due_ns_ = next_->due_ns;
  return &state;
}

// What pick() chose has become the last of the batch.
void Issuer::take_next(TargetState& state, std::int64_t now_ns) noexcept {
  if (streams_) {
    streams_->issued(batch_[batch_size_ - 1], now_ns);
  } else {
    state.target.queue->pop();
  }
}

unsigned Issuer::fill_batch(std::int64_t now_ns) noexcept {
  const unsigned limit = is_closed_loop() ? kClosedLoopBatch : kPacedBatch;
  batch_size_ = 0;
  while (batch_size_ < limit) {
    TargetState* state = pick(now_ns);
    if (state == nullptr || next_due_ns_ > now_ns) break;
    if (!add_to_batch(*state, *next_, now_ns)) break;
    take_next(*state, now_ns);
  }
  return batch_size_;
}

bool Issuer::add_to_batch(TargetState& state, const PlannedIo& io, std::int64_t now_ns) noexcept {
  IoRequest request;
  request.op = io.op;
  request.target = state.target.index;
  request.offset_bytes = io.offset_bytes;
  request.length_bytes = io.length_bytes;
  request.flags = io.flags;
  if (io.op == IoOp::kRead || io.op == IoOp::kWrite) {
    request.buffer = engine_.acquire_buffer(io.length_bytes);
    if (request.buffer.id == BufferRef::kNone) {
      state.hold = Hold::kBuffers;
      next_due_ns_ = kNever;  // a completion brings one back
      return false;
    }
    if (io.op == IoOp::kWrite) {
      pattern_.fill({engine_.buffer_data(request.buffer), io.length_bytes}, io.offset_bytes,
                    writes_++);
    }
  }
  if (result_.issued == 0 && batch_size_ == 0) result_.first_due_ns = io.due_ns;
  result_.last_due_ns = io.due_ns;
  request.slot = free_slots_.back();
  free_slots_.pop_back();
  if (!verified_.empty()) verify_issue(state, request);
  engine_.prepare(request);
  slots_[request.slot] = {.due_ns = is_closed_loop() ? now_ns : io.due_ns,
                          .issue_ns = now_ns,
                          .length_bytes = io.length_bytes,
                          .recorded_service_ns = io.recorded_service_ns,
                          .buffer = request.buffer,
                          .cell = io.cell,
                          .target = static_cast<std::uint16_t>(&state - targets_.data())};
  if (options_.recording != nullptr) batch_ios_[batch_size_] = io;
  batch_holds_[batch_size_] = state.hold;
  batch_[batch_size_++] = request.slot;
  state.hold = Hold::kNone;
  ++state.in_flight;
  return true;
}

void Issuer::hand_over(std::int64_t now_ns) noexcept {
  in_flight_ += batch_size_;
  result_.most_outstanding = std::max(result_.most_outstanding, in_flight_);
  if (is_closed_loop()) {
    // One system call to submit and to wait: the issue time is that before it.
    for (unsigned i = 0; i < batch_size_; ++i) account_issue(i, now_ns);
    const bool full = pick(now_ns) == nullptr;
    result_.engine_error = -engine_.submit(full ? completions_worth_waiting_for() : 0, kMaxSleepNs);
    return;
  }
  const std::int64_t before = batch_size_ == 1 ? now_ns : now();
  result_.engine_error = -engine_.submit(0, 0);
  const std::int64_t took = now() - before;
  result_.submit_max_ns = std::max(result_.submit_max_ns, took);
  for (unsigned i = 0; i < batch_size_; ++i) {
    account_issue(i, before + took * i / batch_size_);  // the kernel takes them one by one
    const InFlight& io = slots_[batch_[i]];
    note_delay(batch_holds_[i], io.issue_ns - io.due_ns);
  }
}

void Issuer::account_issue(unsigned in_batch, std::int64_t issue_ns) noexcept {
  InFlight& io = slots_[batch_[in_batch]];
  io.issue_ns = issue_ns;
  if (options_.recording != nullptr) record_issue(in_batch, issue_ns);
  targets_[io.target].target.activity->on_issue(io.due_ns, issue_ns, io.recorded_service_ns);
  if (result_.issued++ == 0) {
    result_.first_issue_ns = issue_ns;
  } else if (options_.timing == ReplayTiming::kOriginal) {
    result_.recorded_gaps.add(io.due_ns - previous_due_ns_);
    result_.issued_gaps.add(issue_ns - result_.last_issue_ns);
    if (io.due_ns < newest_due_ns_) ++result_.reordered;
  }
  newest_due_ns_ = std::max(newest_due_ns_, io.due_ns);
  previous_due_ns_ = io.due_ns;
  result_.last_issue_ns = issue_ns;
  if (!is_closed_loop() && io.due_ns >= options_.warm_up_ns) {
    result_.slip.add(issue_ns - io.due_ns);
  }
}

void Issuer::record_issue(unsigned in_batch, std::int64_t issue_ns) noexcept {
  const PlannedIo& io = batch_ios_[in_batch];
  IoRecord record;
  record.issue_ns = start_ns_ + issue_ns;
  record.offset_bytes = io.offset_bytes;
  record.length_bytes = io.length_bytes;
  record.device = io.target;
  record.stream = io.stream;
  record.flags = io.flags & kReplayedFlags;
  record.op = io.op;
  options_.recording->issued(batch_[in_batch], record);
}

void Issuer::note_delay(Hold hold, std::int64_t slip_ns) noexcept {
  if (hold == Hold::kDepth) {
    ++result_.delays.depth_limit;
  } else if (hold == Hold::kBuffers) {
    ++result_.delays.buffers;
  } else if (slip_ns >= kLateNs) {
    ++(hold == Hold::kReadAhead ? result_.delays.read_ahead : result_.delays.host);
  }
}

void Issuer::reap() noexcept {
  std::array<IoCompletion, 64> completions;
  while (true) {
    const std::size_t count = engine_.reap(completions);
    if (count == 0) return;
    const std::int64_t at = now();
    for (std::size_t i = 0; i < count; ++i) {
      account_completion(completions[i], at);
      if (streams_) streams_->completed(completions[i].slot, at);
      free_slots_.push_back(completions[i].slot);
    }
    in_flight_ -= static_cast<std::uint32_t>(count);
    result_.last_complete_ns = at;
    if (at > last_reap_ns_) {
      const double rate = static_cast<double>(count) / static_cast<double>(at - last_reap_ns_);
      completions_per_ns_ += (rate - completions_per_ns_) / 16;
      last_reap_ns_ = at;
    }
    if (count < completions.size()) return;
  }
}

void Issuer::account_completion(const IoCompletion& completion, std::int64_t now_ns) noexcept {
  const InFlight& io = slots_[completion.slot];
  const std::int32_t result = completion.result;
  TargetState& state = targets_[io.target];
  LatencyCell& cell = table_.cell(io.cell);
  if (!verified_.empty()) verify_completion(completion);
  if (io.buffer.id != BufferRef::kNone) engine_.release_buffer(io.buffer);
  --state.in_flight;
  const bool moves_data = io.buffer.id != BufferRef::kNone;
  const bool failed = result < 0;
  const std::uint32_t bytes = moves_data && !failed ? static_cast<std::uint32_t>(result) : 0;
  state.target.activity->on_complete(now_ns, io.issue_ns, cell.op, bytes, failed);
  ++result_.completed;
  result_.completed_bytes += bytes;
  if (options_.recording != nullptr) {
    const bool is_short = !failed && moves_data && bytes < io.length_bytes;
    options_.recording->completed(completion.slot, start_ns_ + now_ns,
                                  failed     ? -result
                                  : is_short ? EIO
                                             : 0);
  }
  if (failed) {
    note_failure(state, cell.op, -result);
    ++errors_[std::min<std::size_t>(static_cast<std::size_t>(-result), errors_.size() - 1)];
  } else if (moves_data && bytes < io.length_bytes) {
    ++result_.short_transfers;
  }
  if (io.due_ns < options_.warm_up_ns) return;
  ++result_.measured;
  result_.measured_bytes += bytes;
  cell.bytes += bytes;
  cell.first_issue_ns = std::min(cell.first_issue_ns, io.issue_ns);
  cell.last_complete_ns = now_ns;
  cell.service.add(now_ns - io.issue_ns);
  cell.response.add(now_ns - io.due_ns);
}

void Issuer::verify_issue(const TargetState& state, const IoRequest& request) noexcept {
  WriteVerifier* const verifier = state.target.verifier;
  Verified& verified = verified_[request.slot];
  verified.offset_bytes = request.offset_bytes;
  if (request.op == IoOp::kRead) {
    verified.mark = verifier->read_issued();
  } else if (request.op == IoOp::kWrite) {
    verified.mark = verifier->write_issued(
        request.offset_bytes, {engine_.buffer_data(request.buffer), request.length_bytes});
  } else {
    verifier->clear_issued(request.offset_bytes, request.length_bytes);
  }
}

void Issuer::verify_completion(const IoCompletion& completion) noexcept {
  const InFlight& io = slots_[completion.slot];
  const Verified& verified = verified_[completion.slot];
  WriteVerifier* const verifier = targets_[io.target].target.verifier;
  const IoOp op = table_.cell(io.cell).op;
  if (op == IoOp::kRead) {
    if (completion.result <= 0) return;
    verifier->read_completed(
        verified.offset_bytes,
        {engine_.buffer_data(io.buffer), static_cast<std::size_t>(completion.result)},
        verified.mark);
  } else if (op == IoOp::kWrite) {
    const bool whole = completion.result == static_cast<std::int32_t>(io.length_bytes);
    verifier->write_completed(verified.offset_bytes, io.length_bytes, verified.mark, whole);
  } else {
    verifier->clear_completed(verified.offset_bytes, io.length_bytes);
  }
}

void Issuer::note_failure(const TargetState& state, IoOp op, int error) noexcept {
  if (options_.failed != nullptr) *options_.failed = true;
  if (result_.first_error != 0) return;
  result_.first_error = error;
  result_.first_error_op = op;
  result_.first_error_target = state.target.index;
}

// Nothing can be issued at `now_ns`: waits for the next deadline or completion, whichever is first.
void Issuer::rest(std::int64_t now_ns) noexcept {
  const std::int64_t longest = starved() ? kStarvedSleepNs : kMaxSleepNs;
  if (next_due_ns_ == kNever || is_closed_loop()) {
    if (options_.spin == SpinMode::kAlways && !is_closed_loop()) {
      if (!engine_.completion_ready()) relax();
      return;
    }
    sleep_in_kernel(now_ns, longest, false);
    return;
  }
  const std::int64_t gap = next_due_ns_ - now_ns;
  const std::int64_t sleep = pacer_.sleep_ns(gap);
  if (sleep > 0) {
    sleep_in_kernel(now_ns, std::min(sleep, longest), sleep <= longest);
    return;
  }
  const std::int64_t spin_until = std::min(next_due_ns_, now_ns + kMaxSleepNs);
  for (std::int64_t at = now_ns; at < spin_until; at = now()) {
    if (next_due_ns_ - at > kReapCostNs && engine_.completion_ready()) return;
    relax();
  }
}

void Issuer::sleep_in_kernel(std::int64_t now_ns, std::int64_t sleep_ns,
                             bool to_deadline) noexcept {
  const unsigned wanted = is_closed_loop() ? completions_worth_waiting_for() : 1;
  const int error = engine_.submit(std::max(1U, std::min(wanted, in_flight_)), sleep_ns);
  if (error != 0) result_.engine_error = -error;
  const std::int64_t took = now() - now_ns;
  result_.slept_ns += took;
  if (to_deadline && took >= sleep_ns) pacer_.slept(sleep_ns, took);
}

// Closed loop: waking for each completion costs more than it gains once they come within a
// microsecond or two; at most a quarter of what is outstanding is ever left lying.
unsigned Issuer::completions_worth_waiting_for() const noexcept {
  const auto within_delay = static_cast<unsigned>(
      std::min(completions_per_ns_ * kCompletionDelayNs, double{kClosedLoopBatch}));
  return std::max(1U, std::min(within_delay, in_flight_ / 4));
}

}  // namespace rigel
