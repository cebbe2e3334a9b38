#include "traces/arrival_statistics.hpp"

#include <algorithm>

namespace rigel {
namespace {

// 0 for a time that goes back. Unsigned, so that the distance between any two times fits.
std::uint64_t distance(std::int64_t from_ns, std::int64_t to_ns) {
  if (to_ns <= from_ns) return 0;
  return static_cast<std::uint64_t>(to_ns) - static_cast<std::uint64_t>(from_ns);
}

}  // namespace

void WindowCounts::add(std::int64_t time_ns) {
  if (windows_ == 0 && in_window_ == 0) window_start_ns_ = time_ns;
  const std::uint64_t passed =
      distance(window_start_ns_, time_ns) / static_cast<std::uint64_t>(width_ns_);
  if (passed != 0) {
    const auto count = static_cast<double>(in_window_);
    sum_ += count;
    sum_of_squares_ += count * count;
    windows_ += passed;  // the rest of them were empty
    if (in_window_ > peak_) {
      peak_ = in_window_;
      peak_start_ns_ = window_start_ns_;
    }
    window_start_ns_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(window_start_ns_) +
                                                 passed * static_cast<std::uint64_t>(width_ns_));
    in_window_ = 0;
  }
  ++in_window_;
}

std::uint64_t WindowCounts::peak() const {
  return std::max(peak_, in_window_);
}

std::int64_t WindowCounts::peak_start_ns() const {
  return in_window_ > peak_ ? window_start_ns_ : peak_start_ns_;
}

std::optional<double> WindowCounts::dispersion() const {
  if (windows_ < kLeastWindows || sum_ == 0) return std::nullopt;
  const auto n = static_cast<double>(windows_);
  const double mean = sum_ / n;
  return std::max(0.0, (sum_of_squares_ - n * mean * mean) / (n - 1)) / mean;
}

void InterarrivalTimes::add(std::int64_t time_ns) {
  if (started_) {
    const auto gap = static_cast<double>(distance(last_ns_, time_ns));
    ++count_;
    const double before = gap - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (gap - mean_);
  }
  last_ns_ = started_ ? std::max(last_ns_, time_ns) : time_ns;
  started_ = true;
}

double InterarrivalTimes::squared_variation() const {
  if (count_ < 2 || mean_ == 0) return 0;
  return squares_ / static_cast<double>(count_ - 1) / (mean_ * mean_);
}

}  // namespace rigel
