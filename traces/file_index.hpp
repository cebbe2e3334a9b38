// What the footers at the end of an .rgt file say, read without reading the file.
// Throws Error when the source cannot be read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traces/block_reader.hpp"
#include "traces/footer.hpp"

namespace rigel::rgt {

struct FileIndex {
  // Over all traces in the file. Start times only when there is one trace: those of concatenated
  // ones do not begin at the same moment.
  Totals totals;
  std::vector<IndexEntry> blocks;         // of the first trace in the file
  std::uint64_t footer_offset_bytes = 0;  // where they end
};

// Nothing when the source cannot be positioned, or a trace in it lacks its footer. Leaves `blocks`
// at the beginning of the source when that can be positioned.
[[nodiscard]] std::optional<FileIndex> read_file_index(BlockReader& blocks);

}  // namespace rigel::rgt
