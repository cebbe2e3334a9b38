// Where records come from: an .rgt file or any format that can be imported.
//
//   auto source = open_trace({"prod.rgt"}, {.columns = {Column::kOffset, Column::kLength}});
//   RecordBatch batch;
//   while (source->next(batch)) …
//
// One reader, one thread. `next` and `open_trace` throw Error naming file, offset or line, and
// cause when the input cannot be read at all; damage that can be passed over is listed in
// tables().damage instead, and reading goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traces/record_batch.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

class TraceSource {
 public:
  virtual ~TraceSource() = default;
  // Replaces the batch with the next records; false at the end. The order is the file's, which
  // rigel's own recorder keeps sorted by IoRecord::start_ns.
  virtual bool next(RecordBatch& batch) = 0;
  // Grows while reading: every index in a batch that was handed out is valid here.
  [[nodiscard]] virtual const TraceTables& tables() const = 0;
};

struct OpenOptions {
  ColumnSet columns = ColumnSet::all();    // decode these (if the trace has them)
  std::string format;                      // importer's name; empty: recognise by content
  std::uint32_t record_page_bytes = 4096;  // formats of bare page numbers: page n is at n x this
  std::optional<std::string> time_unit;    // "ns", "us", "ms", "s": overrides a format's own
  // The caller wants records that start in [from, to) only. A format with an index leaves out what
  // lies outside, and does not read it; others may hand it out too.
  std::optional<std::int64_t> from_ns;
  std::optional<std::int64_t> to_ns;
};

// Opens one file, a set of files that belong together (one per CPU), or "-" for standard input.
[[nodiscard]] std::unique_ptr<TraceSource> open_trace(const std::vector<std::string>& paths,
                                                      const OpenOptions& options = {});

}  // namespace rigel
