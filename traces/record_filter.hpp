// Keeps the records that meet every criterion: by time, device, operation, process, role, place,
// size, and every Nth of those. Tables pass through, indices keep their meaning; losses outside of
// the time window are left out, since they say nothing about the records that stay.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/trace_source.hpp"

namespace rigel {

// Names are shell patterns (fnmatch): "sd*". Several names of one kind are alternatives; an empty
// list asks nothing.
struct FilterCriteria {
  // start_ns in [from, to).
  std::optional<std::int64_t> from_ns;
  std::optional<std::int64_t> to_ns;
  std::vector<std::string> devices;  // a device's name, "major:minor", or wwid
  std::vector<IoOp> ops;
  std::vector<std::string> roles;
  std::vector<std::string> streams;  // a process's name, or its pid
  // I/Os that touch [first, end).
  std::uint64_t first_offset_bytes = 0;
  std::uint64_t end_offset_bytes = std::numeric_limits<std::uint64_t>::max();
  // Both ends belong to it.
  std::uint32_t min_length_bytes = 0;
  std::uint32_t max_length_bytes = std::numeric_limits<std::uint32_t>::max();
  // The first, the N+1st, … of what meets the criteria above; never 0.
  std::uint64_t every = 1;

  friend bool operator==(const FilterCriteria&, const FilterCriteria&) = default;
};

// next() throws Error when a criterion needs a column that the trace does not have. At the end of
// the trace, names that matched none of its devices or processes are listed in tables().warnings.
[[nodiscard]] std::unique_ptr<TraceSource> filter_records(std::unique_ptr<TraceSource> source,
                                                          FilterCriteria criteria);

}  // namespace rigel
