// How many I/Os were under way at once, from being handed to the block layer to completion.
// Takes records in order of their start; memory is a few bytes for each I/O under way.
// Not thread safe; nothing throws but allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace rigel {

class Outstanding {
 public:
  // A trace whose I/Os never complete must not fill the memory: beyond this, max() is a lower
  // bound.
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  void add(std::int64_t start_ns, std::int64_t end_ns) {
    while (!ends_.empty() && ends_.top() <= start_ns) ends_.pop();
    if (ends_.size() < kLimit) ends_.push(end_ns);
    max_ = std::max(max_, ends_.size());
    total_ns_ += std::max(0.0, static_cast<double>(end_ns) - static_cast<double>(start_ns));
  }

  // After the last add(): that I/O and those not yet complete when it started.
  [[nodiscard]] std::size_t now() const { return ends_.size(); }
  [[nodiscard]] std::size_t max() const { return max_; }
  // Their times added up: over the duration, the mean number outstanding (Little's law).
  [[nodiscard]] double total_ns() const { return total_ns_; }

 private:
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends_;
  std::size_t max_ = 0;
  double total_ns_ = 0;
};

}  // namespace rigel
