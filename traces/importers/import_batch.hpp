// What importers share on the way out: rows into columns, and the one-input rule.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "traces/byte_source.hpp"
#include "traces/record_batch.hpp"

namespace rigel {

// How many records importers hand out at once: as rows they stay in the second level cache.
inline constexpr std::size_t kImportBatch = 2048;

// Makes `batch` hold the records' `columns`.
void fill_batch(RecordBatch& batch, std::span<const IoRecord> records, ColumnSet columns);

// The only input; throws UsageError when there are several, for formats that know no sets.
[[nodiscard]] std::unique_ptr<ByteSource> only_input(
    std::vector<std::unique_ptr<ByteSource>> inputs, std::string_view format);

}  // namespace rigel
