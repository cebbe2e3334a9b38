#include "replay/io_recorder.hpp"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

#include "replay/replay_clock.hpp"

namespace rigel {
namespace {

constexpr std::size_t kBatchRecords = 16384;
constexpr auto kIdlePause = std::chrono::milliseconds{2};
// What a killed run loses at most.
constexpr std::int64_t kFlushNs = 2'000'000'000;
constexpr std::uint64_t kSetAside = std::numeric_limits<std::uint64_t>::max();

}  // namespace

RecordingLane::RecordingLane(std::uint32_t slots)
    : ring_(std::bit_ceil(std::max(kRingEvents, std::size_t{2} * slots + 2))),
      mask_(ring_.size() - 1),
      is_recorded_(slots) {}

void RecordingLane::issued(std::uint32_t slot, const IoRecord& io) noexcept {
  const std::size_t head = head_.load(std::memory_order_relaxed);
  const std::size_t used = head - tail_.load(std::memory_order_acquire);
  is_recorded_[slot] = used + under_way_ + 1 < ring_.size();
  if (!is_recorded_[slot]) {
    const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
    if (lost == 0) first_lost_ns_.store(io.issue_ns, std::memory_order_relaxed);
    last_lost_ns_.store(io.issue_ns, std::memory_order_relaxed);
    lost_.store(lost + 1, std::memory_order_relaxed);
    return;
  }
  ++under_way_;
  ring_[head & mask_] = {.at_ns = io.issue_ns,
                         .offset_bytes = io.offset_bytes,
                         .slot = slot,
                         .length_bytes = io.length_bytes,
                         .stream = io.stream,
                         .flags = io.flags,
                         .status = 0,
                         .device = static_cast<std::uint16_t>(io.device),
                         .op = io.op,
                         .kind = Kind::kIssued};
  head_.store(head + 1, std::memory_order_release);
}

void RecordingLane::completed(std::uint32_t slot, std::int64_t complete_ns,
                              std::int32_t status) noexcept {
  if (!is_recorded_[slot]) return;
  --under_way_;
  const std::size_t head = head_.load(std::memory_order_relaxed);
  Event& event = ring_[head & mask_];
  event.at_ns = complete_ns;
  event.slot = slot;
  event.status = status;
  event.kind = Kind::kCompleted;
  head_.store(head + 1, std::memory_order_release);
}

ColumnSet IoRecorder::columns() {
  return {Column::kIssue, Column::kComplete, Column::kDevice, Column::kOffset, Column::kLength,
          Column::kOp,    Column::kFlags,    Column::kStream, Column::kStatus};
}

IoRecorder::IoRecorder(RunRecording recording) : recording_{std::move(recording)} {
  batch_.reset(columns());
}

IoRecorder::~IoRecorder() {
  end_thread();
}

RecordingLane& IoRecorder::add_lane(std::uint32_t slots) {
  Window& window = windows_.emplace_back();
  window.lane = std::make_unique<RecordingLane>(slots);
  window.number_of.resize(slots);
  return *window.lane;
}

void IoRecorder::start(std::int64_t start_ns) {
  start_ns_ = start_ns;
  const std::int64_t wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count();
  recording_.tables.meta.clock = "CLOCK_MONOTONIC";
  recording_.tables.meta.start_wall_ns = wall_ns + (start_ns - MonotonicClock{}.now_ns());
  thread_ = std::thread{[this] { run(); }};
}

void IoRecorder::end_thread() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
}

void IoRecorder::finish() {
  end_thread();
  if (failure_) std::rethrow_exception(failure_);
  for (const Window& window : windows_) {
    const RecordingLane& lane = *window.lane;
    if (lane.lost_ == 0) continue;
    recording_.tables.losses.push_back({lane.first_lost_ns_ - start_ns_,
                                        lane.last_lost_ns_ - start_ns_, lane.lost_,
                                        "the recording could not be written fast enough"});
  }
  if (recording_.add_streams) recording_.add_streams(recording_.tables);
  recording_.sink->finish(recording_.tables);
}

void IoRecorder::run() noexcept {
  pthread_setname_np(pthread_self(), "rigel-record");
  bool ended = false;
  while (true) {
    bool any = false;
    try {
      for (Window& window : windows_) any |= take_events(window);
      if (!failure_) write_what_is_ordered();
      if (!failure_ && ended && !any) write_rest();
      if (!failure_) flush_now_and_then();
    } catch (...) {
      // The lanes are emptied all the same, so that nothing counts as lost for want of room.
      failure_ = std::current_exception();
    }
    if (failure_) {
      for (Window& window : windows_) {
        window.first += window.open.size();
        window.open.clear();
        window.late.clear();
      }
    }
    if (ended && !any) return;
    ended = ended_;
    if (!any && !ended) std::this_thread::sleep_for(kIdlePause);
  }
}

bool IoRecorder::take_events(Window& window) {
  RecordingLane& lane = *window.lane;
  // First the time: what was issued before it is then in the ring.
  window.passed_ns = lane.passed_ns_.load(std::memory_order_acquire);
  const std::size_t head = lane.head_.load(std::memory_order_acquire);
  std::size_t tail = lane.tail_.load(std::memory_order_relaxed);
  const bool any = tail != head;
  for (; tail != head; ++tail) take(window, lane.ring_[tail & lane.mask_]);
  lane.tail_.store(tail, std::memory_order_release);
  return any;
}

void IoRecorder::take(Window& window, const RecordingLane::Event& event) {
  const std::int64_t at_ns = event.at_ns - start_ns_;
  std::uint64_t& number = window.number_of[event.slot];
  if (event.kind == RecordingLane::Kind::kIssued) {
    number = window.first + window.open.size();
    Open& open = window.open.emplace_back();
    open.slot = event.slot;
    open.record.issue_ns = at_ns;
    open.record.offset_bytes = event.offset_bytes;
    open.record.length_bytes = event.length_bytes;
    open.record.device = event.device;
    open.record.stream = event.stream;
    open.record.flags = event.flags;
    open.record.op = event.op;
    return;
  }
  if (number == kSetAside) {
    const auto late = window.late.find(event.slot);
    if (late == window.late.end()) return;  // given up with the sink
    late->second.complete_ns = at_ns;
    late->second.status = event.status;
    append(late->second);
    window.late.erase(late);
    return;
  }
  if (number < window.first) return;  // as above
  Open& open = window.open[number - window.first];
  open.record.complete_ns = at_ns;
  open.record.status = event.status;
  open.complete = true;
}

// The window whose first record is the earliest of all.
IoRecorder::Window* IoRecorder::earliest() {
  Window* first = nullptr;
  for (Window& window : windows_) {
    if (window.open.empty()) continue;
    if (first == nullptr ||
        window.open.front().record.issue_ns < first->open.front().record.issue_ns) {
      first = &window;
    }
  }
  return first;
}

void IoRecorder::write_what_is_ordered() {
  while (Window* first = earliest()) {
    const Open& open = first->open.front();
    const std::int64_t at_ns = open.record.issue_ns + start_ns_;
    const bool is_next = std::all_of(windows_.begin(), windows_.end(), [&](const Window& other) {
      return !other.open.empty() || windows_.size() == 1 || other.passed_ns >= at_ns;
    });
    if (is_next && open.complete) {
      append(open.record);
      first->open.pop_front();
      ++first->first;
    } else if (window_records() > kWindowRecords) {
      set_oldest_aside();
    } else {
      return;
    }
  }
}

std::size_t IoRecorder::window_records() const {
  std::size_t count = 0;
  for (const Window& window : windows_) count += window.open.size();
  return count;
}

void IoRecorder::set_oldest_aside() {
  Window& window = *earliest();
  Open& open = window.open.front();
  if (open.complete) {
    append(open.record);
  } else {
    window.number_of[open.slot] = kSetAside;
    window.late.emplace(open.slot, open.record);
  }
  window.open.pop_front();
  ++window.first;
}

void IoRecorder::write_rest() {
  while (Window* first = earliest()) {
    Open& open = first->open.front();
    if (!open.complete) open.record.flags |= io_flag::kInFlightAtStop;
    append(open.record);
    first->open.pop_front();
    ++first->first;
  }
  for (Window& window : windows_) {
    for (auto& [slot, record] : window.late) {
      record.flags |= io_flag::kInFlightAtStop;
      append(record);
    }
    window.late.clear();
  }
  write_batch();
}

void IoRecorder::append(const IoRecord& record) {
  batch_.append(record);
  ++records_;
  if (record.issue_ns < newest_ns_) ++out_of_order_;
  newest_ns_ = std::max(newest_ns_, record.issue_ns);
  if (batch_.size() == kBatchRecords) write_batch();
}

void IoRecorder::write_batch() {
  if (batch_.empty()) return;
  if (recording_.add_streams) recording_.add_streams(recording_.tables);
  recording_.sink->write(batch_, recording_.tables);
  batch_.reset(columns());
}

void IoRecorder::flush_now_and_then() {
  const std::int64_t now_ns = MonotonicClock{}.now_ns();
  if (now_ns - flushed_ns_ < kFlushNs) return;
  flushed_ns_ = now_ns;
  write_batch();
  if (recording_.flush) recording_.flush(recording_.tables);
}

}  // namespace rigel
