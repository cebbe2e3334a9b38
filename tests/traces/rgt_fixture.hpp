// Traces for the tests of .rgt: made up, written to memory, read back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "traces/trace_reader.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {

// Two devices, three streams, a loss, a warning and a name that is no ASCII.
[[nodiscard]] TraceTables busy_tables();
// Records like a busy host's: every column used, some times missing.
[[nodiscard]] std::vector<IoRecord> busy_records(std::size_t count);

void write_records(TraceWriter& writer, std::span<const IoRecord> records,
                   const TraceTables& tables, std::size_t per_batch,
                   ColumnSet columns = ColumnSet::all());
[[nodiscard]] std::vector<std::byte> write_trace(std::span<const IoRecord> records,
                                                 const TraceTables& tables,
                                                 std::size_t per_block = 65536,
                                                 std::size_t per_batch = 100,
                                                 ColumnSet columns = ColumnSet::all());

struct ReadTrace {
  std::vector<IoRecord> records;
  ColumnSet present;  // in every batch
  TraceTables tables;
};
[[nodiscard]] ReadTrace read_trace(std::span<const std::byte> bytes,
                                   TraceReaderOptions options = {});

}  // namespace rigel
