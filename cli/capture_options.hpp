// What `rigel capture` is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/block_tracer.hpp"
#include "capture/daily_window.hpp"

namespace rigel {

struct CaptureRequest {
  BlockTracerOptions tracer;
  std::vector<std::string> devices;  // as named; none: the lowest ones
  std::vector<std::string> command;
  std::string filter_text;  // the filters as they were given
  std::string roles;        // a file; empty: the built-in rules alone

  std::string output;  // empty: no file
  std::optional<std::int64_t> duration_ns;
  std::uint64_t most_bytes = 0;    // of all files together; 0: no limit
  std::uint64_t rotate_bytes = 0;  // of one file, likewise
  std::int64_t rotate_ns = 0;
  std::size_t keep = 0;         // numbered files; 0: all
  std::int64_t ring_ns = 0;     // flight recorder: how much; 0: none
  std::int64_t trigger_ns = 0;  // … an I/O that takes this long has it written
  std::optional<DailyWindow> window;

  bool live = false;
  bool live_curve = false;
  std::uint64_t page_bytes = 8192;  // of the live curve
  std::string prometheus;           // a file; empty: none
  std::int64_t interval_ns = 1'000'000'000;

  bool allow_loss = false;

  // Nothing but a curve of all I/O is asked for: it takes a sample of the pages, no records.
  [[nodiscard]] bool needs_pages_only() const;
};

// Throws UsageError, and HelpRequested for --help.
[[nodiscard]] CaptureRequest parse_capture_request(const std::vector<std::string>& arguments);

}  // namespace rigel
