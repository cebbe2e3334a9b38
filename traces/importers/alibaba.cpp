// Alibaba Cloud's block traces (IISWC 2020), CSV without a header:
//   device,R|W,offset,length,timestamp
// Offset and length in bytes, timestamp in microseconds since 1970.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout layout(const OpenOptions& options) {
  return {.source_name = "Alibaba block trace",
          .separator = ',',
          .fields = {{"device", Field::kDevice, 1},
                     {"opcode", Field::kOp, 1},
                     {"offset", Field::kOffset, 1},
                     {"length", Field::kLength, 1},
                     {"timestamp", Field::kQueue, time_unit_ns(options, kNsPerUs)}},
          .clock = LineLayout::Clock::kUnix};
}

}  // namespace

const Importer import::kAlibaba{"alibaba", "Alibaba Cloud block trace CSV", sniff_layout<layout>,
                                open_layout<layout>};

}  // namespace rigel
