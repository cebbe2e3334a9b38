// The formats rigel reads, one row each. A format is one file in importers/ and one row in
// importer.cpp; .rgt is a row like any other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "traces/byte_source.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct SniffInput {
  std::span<const std::byte> head;  // the first 64 KiB, decompressed, or all of a shorter input
  std::string_view file_name;       // only to break a tie
};

struct Importer {
  std::string_view name;                   // for --format
  std::string_view description;            // one line for `rigel help convert` and the man page
  bool (*sniff)(const SniffInput& input);  // by content; must be cheap and never throw
  // Throws Error when the input is not what sniff() took it for.
  std::unique_ptr<TraceSource> (*open)(std::vector<std::unique_ptr<ByteSource>> inputs,
                                       const OpenOptions& options);
  // The file says what its times mean, or has none: OpenOptions::time_unit is refused.
  bool fixed_time_unit = false;
};

// What open_trace() does once its files are open: decompresses, recognises, opens.
[[nodiscard]] std::unique_ptr<TraceSource> open_inputs(
    std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options);

// In the order in which they are asked: strict formats with a magic number first.
[[nodiscard]] std::span<const Importer> importers();

}  // namespace rigel
