// What all targets of a replay together did over its time: consecutive intervals of one length,
// which doubles whenever there would be more than kMaxCells, so that memory is bounded and a run of
// any length has a few hundred points. One thread; throws nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "replay/target_activity.hpp"

namespace rigel {

class ReplayTimeline {
 public:
  static constexpr std::size_t kMaxCells = 512;
  struct Cell {
    std::int64_t span_ns = 0;  // that was looked at; 0: nothing is known
    ActivityCounts counts;     // of all targets
  };

  ReplayTimeline() = default;
  explicit ReplayTimeline(std::int64_t interval_ns) : interval_ns_(interval_ns) {}

  // The targets' counts from `from_ns` to `to_ns`, since the replay's start; counts towards the
  // interval in which it begins.
  void add(std::int64_t from_ns, std::int64_t to_ns, std::span<const ActivityCounts> targets);

  [[nodiscard]] std::int64_t interval_ns() const { return interval_ns_; }
  [[nodiscard]] std::span<const Cell> cells() const { return {cells_.data(), size_}; }

 private:
  void double_interval();

  std::int64_t interval_ns_ = 1;
  std::array<Cell, kMaxCells> cells_{};
  std::size_t size_ = 0;
};

}  // namespace rigel
