#include "replay/trace_record_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "replay/buffer_pool.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

std::uint32_t saturate(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t recorded_service(const IoRecord& record) {
  if (record.complete_ns == kNoTime) return 0;
  const std::int64_t from = record.issue_ns != kNoTime ? record.issue_ns : record.queue_ns;
  return from == kNoTime ? 0 : saturate(record.complete_ns - from);
}

void count(RecordSource::Reasons& reasons, const char* reason, std::uint64_t times = 1) {
  const auto found = reasons.find(reason);
  if (found != reasons.end()) {
    found->second += times;
  } else {
    reasons.emplace(reason, times);
  }
}

// Due times end here, after 146 years.
constexpr double kLatestNs = 0x1p62;

const char* left_out(const IoRecord& record, bool writes) {
  const bool harmless = record.op == IoOp::kRead || record.op == IoOp::kOther;
  return harmless || writes ? nullptr : "write without --write";
}

// Why no target whatever could be given this I/O.
const char* impossible(const IoRecord& record) {
  if (record.op == IoOp::kOther) return "operation that cannot be replayed";
  if (record.op != IoOp::kFlush && record.length_bytes == 0) return "no length";
  const bool moves_data = record.op == IoOp::kRead || record.op == IoOp::kWrite;
  if (moves_data && record.length_bytes > BufferPool::kMaxBytes) return "over 64 MiB long";
  return nullptr;
}

}  // namespace

ColumnSet replay_columns() {
  ColumnSet columns = ColumnSet::all();
  columns.remove(Column::kCpu);
  columns.remove(Column::kStatus);
  return columns;
}

TraceRecordSource::TraceRecordSource(Opener opener, AddressMap map, TraceReplayOptions options)
    : opener_(std::move(opener)),
      map_(std::move(map)),
      options_(std::move(options)),
      trace_(opener_()) {
  ended_ = !next_batch();
  if (!ended_) refuse_without_times();
}

void TraceRecordSource::refuse_without_times() const {
  if (options_.timing == ReplayTiming::kFlatOut) return;
  if (batch_.record(0).start_ns() == kNoTime) {
    throw Error{
        "the trace says in which order I/Os came, but not when: --flat-out replays it without "
        "times"};
  }
  if (options_.timing == ReplayTiming::kDependent && !batch_.present.has(Column::kComplete)) {
    throw Error{
        "the trace does not say when I/Os completed, so not what waited for what: --timing "
        "dependent "
        "cannot replay it"};
  }
}

std::size_t TraceRecordSource::next(std::span<PlannedIo> into) {
  if (options_.rate && issued_per_ns_ == 0) measure_pattern();
  std::size_t count = 0;
  while (count < into.size() && !ended_) {
    if (copy_ != 0) {
      make_copy(planned_, copy_, into[count++]);
      copy_ = copy_ + 1 == options_.copies ? 0 : copy_ + 1;
      continue;
    }
    if (row_ == batch_.size()) {
      // What is there goes out before the next block is decoded.
      if (count > 0) return count;
      ended_ = !next_batch();
      continue;
    }
    const IoRecord record = batch_.record(row_++);
    note_time(record);
    if (!set_due_time(record, into[count])) {
      ended_ = true;
      end_pass();
    } else if (plan(record, into[count])) {
      ++planned_of_pass_;
      planned_ = into[count++];
      planned_record_ = record;
      if (options_.copies > 1) copy_ = 1;
    }
  }
  return count;
}

bool TraceRecordSource::next_batch() {
  row_ = 0;
  while (!trace_->next(batch_)) {
    batch_.reset({});
    end_pass();
    if (planned_of_pass_ == 0 || ++pass_ == options_.loops) return false;
    // One mean gap after the last record, the first comes again.
    const auto gaps = static_cast<std::int64_t>(std::max<std::uint64_t>(records_of_pass_ - 1, 1));
    pass_start_ns_ += latest_ns_ + latest_ns_ / gaps;
    latest_ns_ = 0;
    base_ns_.reset();
    records_of_pass_ = 0;
    planned_of_pass_ = 0;
    trace_ = opener_();
  }
  learn_tables();
  return true;
}

// What the trace misses is known once it has been gone through; each pass finds the same.
void TraceRecordSource::end_pass() {
  if (pass_ != 0) return;
  tally_.missing = missing_records(trace_->tables());
  for (const std::string& line : map_.vain_rules()) tally_.notes.push_back(line);
}

void TraceRecordSource::learn_tables() {
  const TraceTables& tables = trace_->tables();
  while (map_.devices() < tables.devices.size()) map_.add_device(tables.devices[map_.devices()]);
  tally_.notes = map_.notes();
  if (stream_roles_.size() < tables.streams.size()) {
    const std::lock_guard lock{streams_mutex_};
    streams_ = tables.streams;
  }
  while (stream_roles_.size() < tables.streams.size()) {
    const std::string& role = tables.streams[stream_roles_.size()].role;
    auto found = std::find(roles_.begin(), roles_.end(), role);
    if (found == roles_.end() && roles_.size() < std::numeric_limits<std::uint8_t>::max()) {
      found = roles_.insert(roles_.end(), role);
    }
    stream_roles_.push_back(found == roles_.end()
                                ? std::uint8_t{0}
                                : static_cast<std::uint8_t>(found - roles_.begin()));
  }
}

void TraceRecordSource::add_streams(TraceTables& tables) const {
  const std::lock_guard lock{streams_mutex_};
  for (std::size_t at = tables.streams.size() / options_.copies; at < streams_.size(); ++at) {
    tables.streams.insert(tables.streams.end(), options_.copies, streams_[at]);
  }
}

// The mean rate of what will be issued, from one look at the whole trace.
void TraceRecordSource::measure_pattern() {
  TraceReplayOptions once = options_;
  once.rate.reset();
  once.speed = 1;
  once.loops = 1;
  once.duration_ns = std::numeric_limits<std::int64_t>::max();
  TraceRecordSource pattern{opener_, map_, once};
  std::vector<PlannedIo> ios(512);
  std::uint64_t total = 0;
  while (const std::size_t some = pattern.next(ios)) total += some;
  if (total < 2 || pattern.latest_ns_ == 0) {
    throw Error{"the trace has no rate of its own that could be changed to another"};
  }
  issued_per_ns_ = static_cast<double>(total) / static_cast<double>(pattern.latest_ns_);
}

// Where the record is in the trace's time; the rest of the pass is never before it.
void TraceRecordSource::note_time(const IoRecord& record) {
  ++records_of_pass_;
  const std::int64_t start = record.start_ns();
  if (start == kNoTime) return;
  if (!base_ns_) base_ns_ = start;
  if (start - *base_ns_ < latest_ns_) ++tally_.stamps_backwards;
  latest_ns_ = std::max(latest_ns_, start - *base_ns_);
  tally_.recorded_duration_ns = pass_start_ns_ + latest_ns_;
}

std::int64_t TraceRecordSource::at_speed(std::int64_t recorded_ns) const {
  const double scaled = static_cast<double>(recorded_ns) / options_.speed;
  return scaled < kLatestNs ? std::llround(scaled) : static_cast<std::int64_t>(kLatestNs);
}

void TraceRecordSource::set_dependence(const IoRecord& record, PlannedIo& io) {
  const std::int64_t start = pass_start_ns_ + latest_ns_;
  std::int64_t complete = record.complete_ns;
  if (complete != kNoTime) complete += pass_start_ns_ - *base_ns_;
  const StreamDependence::Answer answer = dependence_.add(record.stream, start, complete);
  io.due_ns = at_speed(answer.think_ns);
  io.overlapped = answer.overlapped;
  io.overlapped_before = answer.overlapped_before;
}

bool TraceRecordSource::set_due_time(const IoRecord& record, PlannedIo& io) {
  io.due_ns = 0;
  io.level = 0;
  if (options_.timing == ReplayTiming::kFlatOut) return true;
  if (record.start_ns() == kNoTime) {
    throw Error{fmt::format("record {} of the trace has no time", format_count(records_of_pass_))};
  }
  const std::int64_t recorded = pass_start_ns_ + latest_ns_;
  if (options_.rate) {
    const RatePlan::Due due = options_.rate->due(static_cast<double>(recorded) * issued_per_ns_);
    if (due.past_end) return false;
    io.due_ns = due.due_ns;
    io.level = due.level;
  } else if (options_.speed == 1) {
    io.due_ns = recorded;
  } else {
    io.due_ns = at_speed(recorded);
  }
  io.due_ns += options_.shift_ns;
  return io.due_ns < options_.duration_ns;
}

bool TraceRecordSource::plan(const IoRecord& record, PlannedIo& io) {
  tally_.records += options_.copies;
  if (const char* reason = left_out(record, options_.writes)) {
    count(tally_.left_out, reason, options_.copies);
    return false;
  }
  // A trace without a device column has its one device implied.
  if (record.device >= map_.devices()) map_.add_device({});
  const std::uint32_t length = record.op == IoOp::kFlush ? 0 : record.length_bytes;
  const MappedIo mapped = map_.map(record.device, 0, record.offset_bytes, length);
  const char* reason = impossible(record);
  if (reason == nullptr) reason = mapped.refused;
  if (reason != nullptr) {
    count(tally_.impossible, reason, options_.copies);
    return false;
  }
  if (mapped.moved) tally_.moved += options_.copies;
  if (mapped.widened) tally_.widened += options_.copies;
  io.offset_bytes = mapped.offset_bytes;
  io.length_bytes = mapped.length_bytes;
  io.target = mapped.target;
  io.stream = record.stream * options_.copies;
  io.recorded_service_ns = recorded_service(record);
  io.flags = record.flags;
  io.role = record.stream < stream_roles_.size() ? stream_roles_[record.stream] : std::uint8_t{0};
  io.op = record.op;
  if (options_.timing == ReplayTiming::kDependent) set_dependence(record, io);
  return true;
}

// Regions are of one size, so what fitted into the first one fits into the others.
void TraceRecordSource::make_copy(const PlannedIo& first, unsigned copy, PlannedIo& io) const {
  io = first;
  io.stream += copy;
  if (!options_.own_regions || io.length_bytes == 0) return;
  io.offset_bytes = map_.map(planned_record_.device, copy, planned_record_.offset_bytes,
                             planned_record_.length_bytes)
                        .offset_bytes;
}

MergedRecordSource::MergedRecordSource(std::vector<std::unique_ptr<RecordSource>> sources) {
  for (auto& source : sources) {
    cursors_.push_back({std::move(source), std::vector<PlannedIo>(256), 0, 0});
  }
}

const std::vector<std::string>& MergedRecordSource::roles() const {
  return cursors_.front().source->roles();
}

// Copies of one trace, all of which name the same streams: the one that is furthest knows them all.
void MergedRecordSource::add_streams(TraceTables& tables) const {
  TraceTables most;
  for (const Cursor& cursor : cursors_) {
    TraceTables own;
    cursor.source->add_streams(own);
    if (own.streams.size() > most.streams.size()) most = std::move(own);
  }
  for (std::size_t at = tables.streams.size() / cursors_.size(); at < most.streams.size(); ++at) {
    tables.streams.insert(tables.streams.end(), cursors_.size(), most.streams[at]);
  }
}

bool MergedRecordSource::fill(Cursor& cursor) {
  if (cursor.at < cursor.count) return true;
  cursor.at = 0;
  cursor.count = cursor.source->next(cursor.ios);
  return cursor.count > 0;
}

std::size_t MergedRecordSource::next(std::span<PlannedIo> into) {
  std::size_t count = 0;
  while (count < into.size()) {
    Cursor* first = nullptr;
    std::uint32_t stream = 0;
    for (std::size_t i = 0; i < cursors_.size(); ++i) {
      Cursor& cursor = cursors_[i];
      if (!fill(cursor)) continue;
      if (first == nullptr || cursor.ios[cursor.at].due_ns < first->ios[first->at].due_ns) {
        first = &cursor;
        stream = static_cast<std::uint32_t>(i);
      }
    }
    if (first == nullptr) {
      sum_up();
      return count;
    }
    into[count] = first->ios[first->at++];
    into[count].stream = into[count].stream * static_cast<std::uint32_t>(cursors_.size()) + stream;
    ++count;
  }
  sum_up();
  return count;
}

void MergedRecordSource::sum_up() {
  tally_ = {};
  for (const Cursor& cursor : cursors_) {
    const Tally& part = cursor.source->tally();
    tally_.records += part.records;
    for (const auto& [reason, times] : part.left_out) tally_.left_out[reason] += times;
    for (const auto& [reason, times] : part.impossible) tally_.impossible[reason] += times;
    tally_.stamps_backwards += part.stamps_backwards;
    tally_.moved += part.moved;
    tally_.widened += part.widened;
    tally_.recorded_duration_ns = std::max(tally_.recorded_duration_ns, part.recorded_duration_ns);
    tally_.missing = part.missing;  // of one and the same trace
    tally_.notes = part.notes;
  }
}

}  // namespace rigel
