#include "traces/record_batch.hpp"

namespace rigel {

void RecordBatch::reset(ColumnSet columns) {
  for_each_column([this](Column, auto vector, auto) { (this->*vector).clear(); });
  present = columns;
  size_ = 0;
}

void RecordBatch::resize(std::size_t count) {
  for_each_column([&](Column column, auto vector, auto) {
    if (present.has(column)) (this->*vector).resize(count);
  });
  size_ = count;
}

void RecordBatch::append(const IoRecord& record) {
  for_each_column([&](Column column, auto vector, auto field) {
    if (present.has(column)) (this->*vector).push_back(record.*field);
  });
  ++size_;
}

void RecordBatch::append(const RecordBatch& from, std::size_t first, std::size_t count) {
  for_each_column([&](Column column, auto vector, auto) {
    if (!present.has(column)) return;
    const auto begin = (from.*vector).begin() + static_cast<std::ptrdiff_t>(first);
    auto& into = this->*vector;
    into.insert(into.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  });
  size_ += count;
}

void RecordBatch::keep_rows(std::span<const std::uint32_t> rows) {
  if (rows.size() == size_) return;
  for_each_column([&](Column column, auto vector, auto) {
    if (!present.has(column)) return;
    auto& values = this->*vector;
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];
    values.resize(rows.size());
  });
  size_ = rows.size();
}

IoRecord RecordBatch::record(std::size_t index) const {
  IoRecord result;
  for_each_column([&](Column column, auto vector, auto field) {
    if (present.has(column)) result.*field = (this->*vector)[index];
  });
  return result;
}

}  // namespace rigel
