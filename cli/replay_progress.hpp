// What is shown and kept of a replay while it runs: a live table on a terminal (standard error),
// and a time series in a file, one line for each target and interval.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/iostat_table.hpp"
#include "replay/activity_sampler.hpp"
#include "replay/target.hpp"
#include "traces/byte_sink.hpp"

namespace rigel {

// One row for each target, by its kernel's name, without counts.
[[nodiscard]] std::vector<IostatRow> device_rows(std::span<const Target> targets);

class ReplayProgress {
 public:
  // `series_path` empty: no series; ".csv" at its end: CSV, otherwise JSON Lines. Throws Error when
  // it cannot be created.
  ReplayProgress(std::span<const Target> targets, const std::string& series_path, bool live,
                 IostatStyle style);

  [[nodiscard]] bool is_wanted() const { return live_ || series_ != nullptr; }
  // On the sampler's thread; does not throw.
  void add(const ActivitySample& sample) noexcept;
  // After the last add(). Throws Error when the series could not be written.
  void finish();

 private:
  void write_series(const ActivitySample& sample);

  std::vector<IostatRow> rows_;
  std::vector<std::string> paths_;
  std::unique_ptr<ByteSink> series_;
  bool as_csv_ = false;
  bool live_;
  IostatStyle style_;
  std::string failure_;
};

}  // namespace rigel
