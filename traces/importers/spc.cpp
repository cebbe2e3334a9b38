// The SPC trace file format (Storage Performance Council, "SPC Trace File Format Specification",
// 2002), which the UMass repository's Financial and WebSearch traces use:
//   ASU,LBA,size,opcode,timestamp[,optional fields]
// LBA in blocks of 512 bytes within the ASU (application storage unit), size in bytes, opcode R or
// W in either case, timestamp in seconds since the trace's start.
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout layout(const OpenOptions& options) {
  return {.source_name = "SPC trace",
          .separator = ',',
          .fields = {{"ASU", Field::kDevice, 1},
                     {"LBA", Field::kOffset, kSectorBytes},
                     {"size", Field::kLength, 1},
                     {"opcode", Field::kOp, 1},
                     {"timestamp", Field::kQueue, time_unit_ns(options, kNsPerSecond)}},
          .more_fields_allowed = true};
}

}  // namespace

const Importer import::kSpc{"spc", "SPC-1 ASCII, the UMass repository's traces",
                            sniff_layout<layout>, open_layout<layout>};

}  // namespace rigel
