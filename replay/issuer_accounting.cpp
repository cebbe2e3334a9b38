// What an Issuer notes of each I/O: times, latencies, failures, the recording, what is verified.
#include <algorithm>
#include <cerrno>

#include "replay/issuer.hpp"

namespace rigel {

namespace {
// Flags that the engine acts on; the others were the recorded I/O's own circumstances.
constexpr std::uint32_t kReplayedFlags = io_flag::kFua;
}  // namespace

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

}  // namespace rigel
