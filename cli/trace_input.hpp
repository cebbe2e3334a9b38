// The part of a command line that says which trace to read and which of its records to take, the
// same for every command that offers it.
//
//   TraceInput input;
//   input.add_options(options);            // in setup(), before parse()
//   input.set(values);                     // after parse(); throws UsageError
//   auto source = input.open({"a.rgt"});   // in run(); throws Error
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/trace_doubts.hpp"
#include "traces/byte_source.hpp"
#include "traces/record_filter.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// One list of files for each recording among `paths`: files that are parts of one (NAME.blktrace.0,
// NAME.blktrace.1, …) together, in the order in which they are first named.
[[nodiscard]] std::vector<std::vector<std::string>> recordings_among(
    const std::vector<std::string>& paths);

class TraceInput {
 public:
  void add_options(CommandOptions& options);
  void set(const po::variables_map& values);

  // Files that are parts of one recording (NAME.blktrace.0, NAME.blktrace.1, …) are read as one
  // trace, others are traces of their own; several traces are merged in time order. Then the
  // filters and the sampler apply. Reading ends early at SIGINT or SIGTERM: see stop_exit_code().
  // `columns` are what the caller reads; others may be there too.
  [[nodiscard]] std::unique_ptr<TraceSource> open(const std::vector<std::string>& paths,
                                                  ColumnSet columns = ColumnSet::all()) const;
  // The same of one recording of one file, open already.
  [[nodiscard]] std::unique_ptr<TraceSource> open(std::unique_ptr<ByteSource> file) const;
  // Whether --format says what the inputs are.
  [[nodiscard]] bool names_format() const { return !open_options_.format.empty(); }
  // What --record-page says, for formats of bare page numbers that are written.
  [[nodiscard]] std::uint32_t record_page_bytes() const { return open_options_.record_page_bytes; }

 private:
  // Merged, cut short at a signal, filtered, sampled.
  [[nodiscard]] std::unique_ptr<TraceSource> chosen_of(
      std::vector<std::unique_ptr<TraceSource>> traces,
      const std::vector<std::string>& names) const;
  // With the limits of time, for a trace whose time is that of the result.
  [[nodiscard]] OpenOptions with_times(OpenOptions options) const;

  OpenOptions open_options_;
  FilterCriteria criteria_;
  std::vector<std::int64_t> shifts_ns_;
  double sample_rate_ = 1;
  std::uint64_t sample_page_bytes_ = 4096;
};

}  // namespace rigel
