#include "traces/importers/import_batch.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"

namespace rigel {

void fill_batch(RecordBatch& batch, std::span<const IoRecord> records, ColumnSet columns) {
  batch.reset(columns);
  batch.resize(records.size());
  const auto copy = [&](Column column, auto& values, auto field) {
    if (!columns.has(column)) return;
    for (std::size_t i = 0; i < records.size(); ++i) values[i] = records[i].*field;
  };
  copy(Column::kQueue, batch.queue_ns, &IoRecord::queue_ns);
  copy(Column::kIssue, batch.issue_ns, &IoRecord::issue_ns);
  copy(Column::kComplete, batch.complete_ns, &IoRecord::complete_ns);
  copy(Column::kDevice, batch.device, &IoRecord::device);
  copy(Column::kOffset, batch.offset_bytes, &IoRecord::offset_bytes);
  copy(Column::kLength, batch.length_bytes, &IoRecord::length_bytes);
  copy(Column::kOp, batch.op, &IoRecord::op);
  copy(Column::kFlags, batch.flags, &IoRecord::flags);
  copy(Column::kStream, batch.stream, &IoRecord::stream);
  copy(Column::kCpu, batch.cpu, &IoRecord::cpu);
  copy(Column::kStatus, batch.status, &IoRecord::status);
}

std::unique_ptr<ByteSource> only_input(std::vector<std::unique_ptr<ByteSource>> inputs,
                                       std::string_view format) {
  if (inputs.size() == 1) return std::move(inputs.front());
  throw UsageError{fmt::format(
      "{} files make no set: open them one by one, or merge them with 'rigel convert'", format)};
}

}  // namespace rigel
