// What happened, counted as iostat counts it, by device and by role: the live table and the
// Prometheus file are made of it. Memory: 60 KB for each device and role.
// One thread; nothing throws but allocation.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "traces/latency_histogram.hpp"
#include "traces/record_batch.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

struct IoCount {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t others = 0;  // flushes, discards, and the like
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  LatencyHistogram latency;  // submission to completion, of all whose end was seen
  std::int64_t busy_ns = 0;  // with at least one under way

  [[nodiscard]] std::uint64_t ios() const { return reads + writes + others; }
  // As many as were under way on average during `interval_ns`, by Little's law.
  [[nodiscard]] double outstanding(std::int64_t interval_ns) const;
  // Share of `interval_ns` in which at least one was under way; at most 1.
  [[nodiscard]] double utilisation(std::int64_t interval_ns) const;
};

class IoCounts {
 public:
  // Records in the order of their start.
  void add(const RecordBatch& batch, const TraceTables& tables);
  // Counts from nothing again; what is under way goes on.
  void clear();

  // By name. Roles: those of the processes, "-" for those that play none.
  [[nodiscard]] const std::map<std::string, IoCount>& devices() const { return devices_; }
  [[nodiscard]] const std::map<std::string, IoCount>& roles() const { return roles_; }

 private:
  std::map<std::string, IoCount> devices_;
  std::map<std::string, IoCount> roles_;
  std::map<const IoCount*, std::int64_t> busy_until_ns_;
};

}  // namespace rigel
