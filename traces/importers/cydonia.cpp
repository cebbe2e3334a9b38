// Cydonia's block traces (CloudPhysics and others, rewritten), CSV without a header:
//   timestamp,LBA,r|w,size
// Timestamp in microseconds since the trace's start, LBA in sectors of 512 bytes, size in bytes.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout layout(const OpenOptions& options) {
  return {.source_name = "Cydonia block trace",
          .separator = ',',
          .fields = {{"timestamp", Field::kQueue, time_unit_ns(options, kNsPerUs)},
                     {"LBA", Field::kOffset, kSectorBytes},
                     {"op", Field::kOp, 1},
                     {"size", Field::kLength, 1}}};
}

}  // namespace

const Importer import::kCydonia{"cydonia", "Cydonia block trace CSV", sniff_layout<layout>,
                                open_layout<layout>};

}  // namespace rigel
