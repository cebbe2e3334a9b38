#include "traces/record_batch.hpp"

namespace rigel {

// The one place that pairs a column with its vector and its field.
template <typename Self, typename Visit>
void RecordBatch::for_each_present(Self& self, Visit visit) {
  const auto when = [&](Column column, auto& values, auto field) {
    if (self.present.has(column)) visit(values, field);
  };
  when(Column::kQueue, self.queue_ns, &IoRecord::queue_ns);
  when(Column::kIssue, self.issue_ns, &IoRecord::issue_ns);
  when(Column::kComplete, self.complete_ns, &IoRecord::complete_ns);
  when(Column::kDevice, self.device, &IoRecord::device);
  when(Column::kOffset, self.offset_bytes, &IoRecord::offset_bytes);
  when(Column::kLength, self.length_bytes, &IoRecord::length_bytes);
  when(Column::kOp, self.op, &IoRecord::op);
  when(Column::kFlags, self.flags, &IoRecord::flags);
  when(Column::kStream, self.stream, &IoRecord::stream);
  when(Column::kCpu, self.cpu, &IoRecord::cpu);
  when(Column::kStatus, self.status, &IoRecord::status);
}

void RecordBatch::reset(ColumnSet columns) {
  present = ColumnSet::all();
  for_each_present(*this, [](auto& values, auto) { values.clear(); });
  present = columns;
  size_ = 0;
}

void RecordBatch::resize(std::size_t count) {
  for_each_present(*this, [count](auto& values, auto) { values.resize(count); });
  size_ = count;
}

void RecordBatch::append(const IoRecord& record) {
  for_each_present(*this, [&](auto& values, auto field) { values.push_back(record.*field); });
  ++size_;
}

void RecordBatch::keep_rows(std::span<const std::uint32_t> rows) {
  if (rows.size() == size_) return;
  for_each_present(*this, [rows](auto& values, auto) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];
    values.resize(rows.size());
  });
  size_ = rows.size();
}

IoRecord RecordBatch::record(std::size_t index) const {
  IoRecord result;
  for_each_present(*this, [&](auto& values, auto field) { result.*field = values[index]; });
  return result;
}

}  // namespace rigel
