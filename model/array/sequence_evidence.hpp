// What a recording of a run shows about its offsets, which no average can: whether blocks are read
// again, whether the cache could still hold them then, whether whole sequences come again, and
// whether the offsets look like independent uniform ones.
// Reads of one device, each by the page of its first byte. One pass; memory some 80 bytes a
// distinct page. Throws Error for a trace without reads or with reads of several devices.
#pragma once

#include <cstdint>

#include "traces/trace_source.hpp"

namespace rigel {

struct SequenceEvidence {
  std::uint64_t reads = 0;
  std::uint64_t distinct_pages = 0;
  double expected_distinct = 0;        // of as many independent uniform reads over the span
  std::uint64_t rereads = 0;           // of a page read before
  std::uint64_t rereads_in_reach = 0;  // while an LRU cache of the given size still held it
  // Re-reads that follow the order in which the pages were read before: the distance back to the
  // page's last read is that of the re-read just before, give or take the reordering of a queue.
  std::uint64_t rereads_in_sequence = 0;
  // Of those, how far back the earlier read was, in reads. A generator of a short period repeats
  // at one distance; one that is restarted at points of different length does not.
  double sequence_distance = 0;         // mean
  double sequence_deviation = 0;        // standard deviation
  double chi_square_p = 1;              // offsets in equal bins over the span
  double serial_correlation = 0;        // of offset with the next one
  double serial_deviation = 0;          // the same in standard deviations of independence
  std::uint64_t granularity_bytes = 0;  // greatest common divisor of the offsets
  std::uint64_t lowest_bytes = 0;
  std::uint64_t highest_bytes = 0;
  double cache_hit_ratio = 0;  // rereads_in_reach / reads
};

struct SequenceOptions {
  std::uint64_t span_bytes = 0;
  std::uint64_t cache_bytes = 0;
  std::uint32_t page_bytes = 8192;
};

[[nodiscard]] SequenceEvidence examine_sequence(TraceSource& trace, const SequenceOptions& options);

}  // namespace rigel
