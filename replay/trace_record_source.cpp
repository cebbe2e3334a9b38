#include "replay/trace_record_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "replay/buffer_pool.hpp"
#include "traces/error.hpp"

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

void count(RecordSource::Reasons& reasons, const char* reason) {
  const auto found = reasons.find(reason);
  if (found != reasons.end()) {
    ++found->second;
  } else {
    reasons.emplace(reason, 1);
  }
}

}  // namespace

ColumnSet replay_columns() {
  ColumnSet columns = ColumnSet::all();
  columns.remove(Column::kCpu);
  columns.remove(Column::kStatus);
  return columns;
}

TraceRecordSource::TraceRecordSource(std::unique_ptr<TraceSource> trace, AddressMap map,
                                     TraceReplayOptions options)
    : trace_(std::move(trace)), map_(std::move(map)), options_(std::move(options)) {
  tally_.time_scale = options_.timed ? options_.speed : 1;
}

std::size_t TraceRecordSource::next(std::span<PlannedIo> into) {
  std::size_t count = 0;
  while (count < into.size()) {
    if (row_ == batch_.size()) {
      // What is there goes out before the next block is decoded.
      if (count > 0) return count;
      row_ = 0;
      if (!trace_->next(batch_)) {
        batch_.reset({});
        return 0;
      }
      learn_tables();
      continue;
    }
    if (plan(batch_.record(row_++), into[count])) ++count;
  }
  return count;
}

void TraceRecordSource::learn_tables() {
  const TraceTables& tables = trace_->tables();
  while (map_.devices() < tables.devices.size()) {
    const DeviceInfo& device = tables.devices[map_.devices()];
    const auto& only = options_.only_devices;
    device_wanted_.push_back(only.empty() ||
                             std::find(only.begin(), only.end(), device.name) != only.end());
    map_.add_device(device);
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

std::int64_t TraceRecordSource::due_time(std::int64_t start_ns) {
  if (!options_.timed) return 0;
  if (start_ns == kNoTime) {
    throw Error{"the trace has no times; replay it with --flat-out"};
  }
  if (!started_) base_ns_ = start_ns;
  started_ = true;
  const std::int64_t since = start_ns - base_ns_;
  if (since < latest_ns_) ++tally_.stamps_backwards;
  latest_ns_ = std::max(latest_ns_, since);
  if (options_.speed == 1) return latest_ns_;
  return std::llround(static_cast<double>(latest_ns_) / options_.speed);
}

const char* TraceRecordSource::left_out(const IoRecord& record) const {
  if (record.device < device_wanted_.size() && !device_wanted_[record.device]) {
    return "device not asked for";
  }
  if (record.op != IoOp::kRead && record.op != IoOp::kOther && !options_.writes) {
    return "write without --write";
  }
  return nullptr;
}

bool TraceRecordSource::plan(const IoRecord& record, PlannedIo& io) {
  ++tally_.records;
  io.due_ns = due_time(record.start_ns());
  if (const char* reason = left_out(record)) {
    count(tally_.left_out, reason);
    return false;
  }
  const auto refuse = [this](const char* reason) {
    count(tally_.impossible, reason);
    return false;
  };
  if (record.op == IoOp::kOther) return refuse("operation that cannot be replayed");
  if (record.op != IoOp::kFlush && record.length_bytes == 0) return refuse("no length");
  const bool moves_data = record.op == IoOp::kRead || record.op == IoOp::kWrite;
  if (moves_data && record.length_bytes > BufferPool::kMaxBytes) return refuse("over 64 MiB long");
  // A trace without a device column has its one device implied.
  if (record.device >= map_.devices()) map_.add_device({});
  const std::uint32_t length = record.op == IoOp::kFlush ? 0 : record.length_bytes;
  const MappedIo mapped = map_.map(record.device, 0, record.offset_bytes, length);
  if (mapped.refused != nullptr) return refuse(mapped.refused);
  if (mapped.moved) ++tally_.moved;
  if (mapped.widened) ++tally_.widened;
  io.offset_bytes = mapped.offset_bytes;
  io.length_bytes = mapped.length_bytes;
  io.target = mapped.target;
  io.stream = record.stream;
  io.recorded_service_ns = recorded_service(record);
  io.flags = record.flags;
  io.role = record.stream < stream_roles_.size() ? stream_roles_[record.stream] : std::uint8_t{0};
  io.op = record.op;
  return true;
}

}  // namespace rigel
