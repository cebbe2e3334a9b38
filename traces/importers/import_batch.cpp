#include "traces/importers/import_batch.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"

namespace rigel {

void fill_batch(RecordBatch& batch, std::span<const IoRecord> records, ColumnSet columns) {
  batch.reset(columns);
  batch.resize(records.size());
  RecordBatch::for_each_column([&](Column column, auto values, auto field) {
    if (!columns.has(column)) return;
    auto& to = batch.*values;
    for (std::size_t i = 0; i < records.size(); ++i) to[i] = records[i].*field;
  });
}

std::unique_ptr<ByteSource> only_input(std::vector<std::unique_ptr<ByteSource>> inputs,
                                       std::string_view format) {
  if (inputs.size() == 1) return std::move(inputs.front());
  throw UsageError{fmt::format(
      "{} files make no set: open them one by one, or merge them with 'rigel convert'", format)};
}

}  // namespace rigel
