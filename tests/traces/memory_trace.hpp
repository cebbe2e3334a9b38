// Traces in memory, for tests: a TraceSource over records given as a list, a TraceSink that keeps
// what it is given, and a way to read any source to its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/trace_sink.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// Hands out `records` in batches of `batch_records`, with the columns named.
class MemoryTrace final : public TraceSource {
 public:
  explicit MemoryTrace(std::vector<IoRecord> records, TraceTables tables = {},
                       ColumnSet columns = ColumnSet::all(), std::size_t batch_records = 3)
      : records_{std::move(records)},
        tables_{std::move(tables)},
        columns_{columns},
        batch_records_{batch_records} {}

  bool next(RecordBatch& batch) override {
    batch.reset(columns_);
    const std::size_t end = std::min(records_.size(), at_ + batch_records_);
    for (; at_ < end; ++at_) batch.append(records_[at_]);
    return !batch.empty();
  }
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  std::vector<IoRecord> records_;
  TraceTables tables_;
  ColumnSet columns_;
  std::size_t batch_records_;
  std::size_t at_ = 0;
};

// A trace of these devices (by name) and processes (by comm, with pids 1, 2, …).
[[nodiscard]] inline TraceTables tables_of(const std::vector<std::string>& devices,
                                           const std::vector<std::string>& comms = {"fio"}) {
  TraceTables tables;
  for (const std::string& name : devices) {
    DeviceInfo device;
    device.name = name;
    tables.devices.push_back(device);
  }
  for (const std::string& comm : comms) {
    StreamInfo stream;
    stream.comm = comm;
    stream.pid = stream.tid = static_cast<std::uint32_t>(tables.streams.size() + 1);
    tables.streams.push_back(stream);
  }
  return tables;
}

[[nodiscard]] inline std::vector<IoRecord> read_all(TraceSource& source) {
  std::vector<IoRecord> records;
  RecordBatch batch;
  while (source.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) records.push_back(batch.record(i));
  }
  return records;
}

class MemorySink final : public TraceSink {
 public:
  void write(const RecordBatch& batch, const TraceTables& tables) override {
    for (std::size_t i = 0; i < batch.size(); ++i) records.push_back(batch.record(i));
    tables_written = tables;
  }
  void finish(const TraceTables& tables) override {
    tables_written = tables;
    finished = true;
  }

  std::vector<IoRecord> records;
  TraceTables tables_written;
  bool finished = false;
};

}  // namespace rigel
