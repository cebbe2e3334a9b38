// Traces of the MQSim SSD simulator, fields set apart by blanks:
//   arrival device LBA size type
// Arrival in nanoseconds since the trace's start, LBA and size in sectors of 512 bytes, type 0 for
// a write and 1 for a read.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout layout(const OpenOptions& options) {
  return {.source_name = "MQSim trace",
          .separator = ' ',
          .fields = {{"arrival", Field::kQueue, time_unit_ns(options, 1)},
                     {"device", Field::kDevice, 1},
                     {"LBA", Field::kOffset, kSectorBytes},
                     {"size", Field::kLength, kSectorBytes},
                     {"type", Field::kOp, 1}},
          .read_number = 1};
}

}  // namespace

const Importer import::kMqsim{"mqsim", "MQSim trace", sniff_layout<layout>, open_layout<layout>};

}  // namespace rigel
