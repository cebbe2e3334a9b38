// Makes a trace fit to be given away: where its I/Os lie and who issued them can no longer be told,
// while what a cache or a replay depends on stays.
//
// - Addresses: each device's pages (of a size to choose) are permuted under a key, see
//   page_permutation.hpp. I/Os to the same bytes before are I/Os to the same bytes after, so reuse
//   is kept exactly; sequences are kept within a page. An I/O that crosses a page's border is cut
//   there, its pieces marked as such: the larger the page, the fewer.
// - Names of hosts, devices, processes, instances and cgroups become keyed hashes, pids and tids
// are
//   numbered in the order in which they appear; roles ("lgwr") are kept.
// - The wall time, kernel, device models and numbers, notes and warnings are left out. Times,
//   lengths, operations, flags and status are kept as they are: they can be recognised by someone
//   who has a record of the same I/O.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/trace_source.hpp"

namespace rigel {

// The same key gives the same names, and the same places on a device of the same size and name.
using AnonymizerKey = std::array<unsigned char, 32>;

[[nodiscard]] AnonymizerKey random_anonymizer_key();
// From a file's content, whatever its length. Throws Error when it cannot be read or is empty.
[[nodiscard]] AnonymizerKey anonymizer_key_from_file(const std::string& path);

// How far each device (by index) is known to reach: its size, or the end of its last I/O. Reads
// `source` to its end.
[[nodiscard]] std::vector<std::uint64_t> device_extents(TraceSource& source);

struct AnonymizerOptions {
  AnonymizerKey key{};
  std::uint64_t page_bytes = std::uint64_t{1} << 20;
  // What is permuted, by device: the larger of this and the size that the trace tells.
  std::vector<std::uint64_t> device_bytes;
};

// next() throws Error for an I/O beyond its device's extent. Not thread safe.
[[nodiscard]] std::unique_ptr<TraceSource> anonymize(std::unique_ptr<TraceSource> source,
                                                     AnonymizerOptions options);

}  // namespace rigel
