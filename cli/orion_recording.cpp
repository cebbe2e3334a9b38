#include "cli/orion_recording.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "traces/byte_sink.hpp"

namespace rigel {
namespace {

constexpr ColumnSet kColumns{Column::kIssue,  Column::kComplete, Column::kDevice, Column::kOffset,
                             Column::kLength, Column::kOp,       Column::kStatus};

TraceTables tables_of(const OrionReport& report) {
  TraceTables tables;
  tables.meta.source = report.tool + " orion";
  tables.meta.clock = "CLOCK_MONOTONIC";
  tables.meta.start_wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  tables.meta.extra["command_line"] = report.command_line;
  for (const OrionLun& lun : report.luns) {
    DeviceInfo& device = tables.devices.emplace_back();
    device.name = lun.name;
    device.size_bytes = lun.size_bytes;
  }
  return tables;
}

}  // namespace

OrionRecording::OrionRecording(const std::string& path, const OrionReport& report,
                               std::int64_t start_ns)
    : writer_{create_file(path)}, tables_{tables_of(report)}, start_ns_{start_ns} {
  filling_.reset(kColumns);
  thread_ = std::thread{[this] { write_batches(); }};
}

OrionRecording::~OrionRecording() {
  end_thread();
}

void OrionRecording::add(const IoRecord& record) {
  IoRecord relative = record;
  relative.issue_ns -= start_ns_;
  relative.complete_ns -= start_ns_;
  filling_.append(relative);
  if (filling_.size() == kBatchRecords) hand_over();
}

void OrionRecording::hand_over() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting || failure_ != nullptr; });
  if (failure_ == nullptr) waiting_.push_back(std::exchange(filling_, RecordBatch{}));
  filling_.reset(kColumns);
  changed_.notify_all();
}

void OrionRecording::write_batches() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::vector<RecordBatch> batches = std::exchange(waiting_, {});
    changed_.notify_all();
    lock.unlock();
    std::exception_ptr failure;
    try {
      for (const RecordBatch& batch : batches) writer_.write(batch, tables_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure == nullptr) continue;
    failure_ = failure;
    changed_.notify_all();
    return;
  }
}

void OrionRecording::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void OrionRecording::finish() {
  hand_over();
  end_thread();
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  writer_.finish(tables_);
}

}  // namespace rigel
