// A workload in figures that can be laid beside another's, in one pass and bounded memory: for each
// kind of figure the distribution of its observations, kept apart in 32 to 64 blocks of consecutive
// records (BlockedSamples), so that chance can be judged though I/Os depend on each other.
// Memory: some 80 MB at most for the distributions, and 30 bytes a page for at most `max_pages` of
// them. One thread; throws what the source throws.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/compare/blocked_samples.hpp"
#include "model/compare/page_heat.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// What is observed. Latencies are from being handed to the block layer to completion.
enum class Figure : std::uint8_t {
  kOp,          // IoOp of each record
  kReadBytes,   // of each read
  kWriteBytes,  // of each write
  // Of each read, of each write: 1 when it goes on where an earlier one of its stream ended
  // (sequential_runs.hpp), else 0.
  kReadSequential,
  kWriteSequential,
  kInterarrival,  // ns from one start to the next
  kArrivals,      // I/Os that start in each window of 100 ms
  // How unevenly 64 gaps are spread, whatever their length: |2 u - 1| in 1/1000, u being the share
  // of their time that the first 32 take. 0 for a clock, 99 on average for a Poisson process (u is
  // then Beta(32, 32)), up to 1000 for bursts.
  kUnevenness,
  kQueueDepth,  // I/Os under way when one starts, it included
  // Of each page read, of each page written: other pages since the page was last read or written;
  // infinite at its first.
  kReadReuse,
  kWriteReuse,
  kReadLatency,
  kWriteLatency,
};
inline constexpr std::size_t kFigureCount = 13;

// Up to the end of a block.
struct PlaceProgress {
  std::uint64_t records = 0;
  PageHeatSnapshot heat;
};

struct WorkloadProfile {
  std::uint64_t records = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::int64_t first_ns = 0;     // start of the first record
  std::int64_t duration_ns = 0;  // from the first start to the last start; 0 without times
  double mean_outstanding = 0;   // over the duration; 0 when completions are not known
  std::uint32_t page_bytes = 0;
  double page_sampling = 1;         // share of the pages that reuse and hot spots are seen by
  std::uint64_t span_bytes = 0;     // of all devices together, from the lowest to the highest byte
  std::uint64_t align_bytes = 0;    // greatest common divisor of offsets and lengths
  std::uint64_t block_records = 0;  // in each block but perhaps the last
  std::vector<std::int64_t> starts_ns;  // of blocks; kNoTime where not known
  std::array<BlockedSamples, kFigureCount> figures;
  std::map<std::string, BlockedSamples> role_latency;  // of named roles
  std::vector<PlaceProgress> places;                   // at the end of every block
  std::vector<PagesOfCount> page_counts;               // at the end
  // What the first 2^i records amounted to, for comparison with a much shorter trace.
  struct Beginning {
    PlaceProgress place;
    std::array<BlockedSamples, 2> reuse;  // kReadReuse, kWriteReuse
  };
  std::vector<Beginning> beginnings;

  [[nodiscard]] const BlockedSamples& of(Figure figure) const {
    return figures[static_cast<std::size_t>(figure)];
  }
};

struct ProfileOptions {
  std::uint32_t page_bytes = 4096;
  std::size_t max_pages = std::size_t{1} << 20;
};

// Throws UsageError for a page below 512 bytes.
[[nodiscard]] WorkloadProfile profile_workload(TraceSource& source, const ProfileOptions& options);

}  // namespace rigel
