// How evenly I/Os arrive, told from their start times in one pass and constant memory.
// Not thread safe; nothing throws.
#pragma once

#include <cstdint>
#include <optional>

namespace rigel {

// Counts in consecutive windows of one width, the first of which begins with the first arrival.
// An arrival that is earlier than the window under way counts as being in it.
class WindowCounts {
 public:
  explicit WindowCounts(std::int64_t width_ns) : width_ns_{width_ns} {}

  void add(std::int64_t time_ns);

  // The largest count of a window (the unfinished last one too), and when that window began.
  [[nodiscard]] std::uint64_t peak() const;
  [[nodiscard]] std::int64_t peak_start_ns() const;
  // Windows that are over, empty ones too.
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  // Variance over mean of the counts of windows that are over, 1 for a Poisson process: the index
  // of dispersion for counts (R. Gusella, "Characterizing the Variability of Arrival Processes with
  // Indexes of Dispersion", IEEE JSAC 9(2), 1991). Absent for fewer than kLeastWindows windows.
  static constexpr std::uint64_t kLeastWindows = 10;
  [[nodiscard]] std::optional<double> dispersion() const;

 private:
  std::int64_t width_ns_;
  std::int64_t window_start_ns_ = 0;
  std::uint64_t in_window_ = 0;
  std::uint64_t windows_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
  std::uint64_t peak_ = 0;
  std::int64_t peak_start_ns_ = 0;
};

// Times between arrivals. Going back in time counts as no time.
class InterarrivalTimes {
 public:
  void add(std::int64_t time_ns);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean_ns() const { return mean_; }
  // Squared coefficient of variation: 1 for a Poisson process, 0 for a clock's, above for bursts.
  [[nodiscard]] double squared_variation() const;

 private:
  bool started_ = false;
  std::int64_t last_ns_ = 0;
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the differences from the mean (B. P. Welford, 1962)
};

}  // namespace rigel
