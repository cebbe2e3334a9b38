// The formats rigel writes, one row each. A format is one file in exporters/ and one row in
// exporter.cpp; .rgt is a row like any other. What each one cannot hold is listed in
// rigel-formats(7).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "traces/trace_sink.hpp"

namespace rigel {

struct ExportOptions {
  std::string format;                      // exporter's name; empty: by the path's suffix
  std::uint32_t record_page_bytes = 4096;  // formats of bare page numbers: offset / this
};

struct Exporter {
  std::string_view name;         // for --to
  std::string_view suffix;       // ".csv": what a path must end in to choose it
  std::string_view description;  // one line for `rigel help convert` and the man page
  // Creates or truncates the file ("-" is standard output where the format can be streamed).
  // Throws Error naming the path and the cause.
  std::unique_ptr<TraceSink> (*create)(const std::string& path, const ExportOptions& options);
};

[[nodiscard]] std::span<const Exporter> exporters();

// The exporter that options.format names or whose suffix `path` ends in ("-" alone: .rgt). Throws
// UsageError naming the formats when there is none.
[[nodiscard]] const Exporter& find_exporter(const std::string& path, const ExportOptions& options);

// find_exporter(), then create().
[[nodiscard]] std::unique_ptr<TraceSink> create_trace(const std::string& path,
                                                      const ExportOptions& options = {});

}  // namespace rigel
