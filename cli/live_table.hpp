// What is going on, as a table on standard output every interval, by device and by role: iostat's
// columns and units (MB are 2^20 bytes), with the percentiles that it has not.
// write() and tick() throw Error when standard output cannot be written, ReaderGone when closed.
#pragma once

#include <cstdint>
#include <string>

#include "capture/io_counts.hpp"
#include "capture/recording_sink.hpp"

namespace rigel {

class LiveTable final : public RecordingSink {
 public:
  explicit LiveTable(std::int64_t interval_ns) : interval_ns_{interval_ns} {}

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables&) override {}

 private:
  std::int64_t interval_ns_;
  std::int64_t begin_ns_ = 0;
  std::uint64_t lost_ = 0;  // told so far
  IoCounts counts_;
};

// The table of one interval; what had no I/O has no row.
[[nodiscard]] std::string live_table(const IoCounts& counts, std::int64_t interval_ns);

}  // namespace rigel
