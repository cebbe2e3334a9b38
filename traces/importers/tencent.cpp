// Tencent Cloud's block storage traces (SNIA IOTTA, 2018), CSV without a header:
//   timestamp,offset,size,type,volume
// Timestamp in seconds since 1970, offset and size in sectors of 512 bytes, type 0 for a read.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout layout(const OpenOptions& options) {
  return {.source_name = "Tencent block trace",
          .separator = ',',
          .fields = {{"timestamp", Field::kQueue, time_unit_ns(options, kNsPerSecond)},
                     {"offset", Field::kOffset, kSectorBytes},
                     {"size", Field::kLength, kSectorBytes},
                     {"type", Field::kOp, 1},
                     {"volume", Field::kDevice, 1}},
          .clock = LineLayout::Clock::kUnix,
          .read_number = 0};
}

}  // namespace

const Importer import::kTencent{"tencent", "Tencent Cloud block trace CSV", sniff_layout<layout>,
                                open_layout<layout>};

}  // namespace rigel
