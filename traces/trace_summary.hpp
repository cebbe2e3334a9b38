// What a trace holds, in one pass: how much, how fast, how large, where, how sequential, how long
// each I/O took, and whether more was re-read than chance explains.
// Memory does not grow with the number of records, but with the devices, tasks and pages they name
// (see footprint.hpp for the pages). One thread; nothing throws but allocation and the source.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/activity_map.hpp"
#include "traces/footprint.hpp"
#include "traces/latency_histogram.hpp"
#include "traces/latency_map.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct OpTotals {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequential = 0;  // see sequential_runs.hpp
};

// I/Os of one kind (a device's, a task's, all), by operation.
struct IoTotals {
  std::array<OpTotals, kIoOpCount> ops{};
  std::uint64_t completed = 0;  // with both ends of their response time known
  double response_ns = 0;       // theirs, added up

  [[nodiscard]] const OpTotals& of(IoOp op) const { return ops[static_cast<std::size_t>(op)]; }
  [[nodiscard]] OpTotals& of(IoOp op) { return ops[static_cast<std::size_t>(op)]; }
  // Over all operations.
  [[nodiscard]] OpTotals all() const;
  [[nodiscard]] double mean_response_ns() const {
    return completed == 0 ? 0 : response_ns / static_cast<double>(completed);
  }
  void add(const IoTotals& other);
};

// Queue: until sent to the device. Service: from there to completion. Response: both together.
struct LatencyGroup {
  LatencyHistogram queue;
  LatencyHistogram service;
  LatencyHistogram response;

  [[nodiscard]] bool empty() const {
    return queue.count() == 0 && service.count() == 0 && response.count() == 0;
  }
};

struct DeviceSummary {
  DeviceInfo device;
  IoTotals totals;
  std::uint64_t footprint_pages = 0;  // read or written
  Reuse reads;
  Reuse writes;
  HeatMap::Picture heat_map;  // empty for devices beyond the 64th, or without times
};

// I/O of one kind, as io_class.hpp names them.
struct IoClassSummary {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  LatencyHistogram response;
};

// All tasks of a process that go by the same name.
struct StreamSummary {
  std::string comm;
  std::uint32_t pid = 0;
  std::string role;
  std::string instance;
  std::uint32_t tasks = 0;
  IoTotals totals;
};

// Requests of up to 2^i bytes, and more than 2^(i-1).
using SizeCounts = std::array<std::uint64_t, 33>;

struct TraceSummary {
  std::uint64_t page_bytes = 0;
  ColumnSet columns;  // all that any record had
  std::uint64_t records = 0;
  IoTotals totals;
  std::map<std::int32_t, std::uint64_t> errors;  // I/Os that failed, by errno

  bool has_times = false;  // false: nothing below until `sizes` means anything
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  // from the first start to the last start or completion
  std::uint64_t peak_second_records = 0;
  std::int64_t peak_second_ns = 0;  // when it began, since start_ns
  double interarrival_squared_variation = 0;
  std::optional<double> dispersion_1s;  // absent for traces of a few seconds
  std::optional<double> dispersion_100ms;
  std::vector<Timeline::Cell> timeline;
  std::uint64_t timeline_cell_ns = 0;
  // Of each cell: it holds no I/O, but some were lost then, or lie in damage of the file.
  std::vector<bool> timeline_unknown;
  std::map<std::string, std::vector<Timeline::Cell>> role_timelines;  // "" where none is known
  LatencyMap::Picture latency_map;  // response times, by when the I/O began
  std::uint64_t max_outstanding = 0;
  double mean_outstanding = 0;

  SizeCounts read_sizes{};
  SizeCounts write_sizes{};
  std::uint64_t footprint_pages = 0;
  Reuse reads;
  Reuse writes;

  std::array<std::unique_ptr<LatencyGroup>, kIoOpCount> op_latency;  // null: none of these
  std::map<std::string, LatencyGroup> role_latency;                  // "" where none is known
  std::map<std::string, IoClassSummary, std::less<>> io_classes;     // of databases' processes
  std::vector<DeviceSummary> devices;  // those with I/O, the busiest first
  std::vector<StreamSummary> streams;  // likewise
  TraceTables tables;                  // as they were at the end of the trace

  // Whether a record says so; of no records all is known. What needs an unknown column is 0 above.
  [[nodiscard]] bool knows(Column column) const { return records == 0 || columns.has(column); }
  [[nodiscard]] bool knows_places() const {
    return knows(Column::kOffset) && knows(Column::kLength);
  }
};

struct SummaryOptions {
  std::uint64_t page_bytes = 4096;
  std::size_t heat_map_rows = 12;
  std::size_t heat_map_columns = 64;
};

[[nodiscard]] TraceSummary summarize(TraceSource& source, const SummaryOptions& options = {});

}  // namespace rigel
