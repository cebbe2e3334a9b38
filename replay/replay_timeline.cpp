#include "replay/replay_timeline.hpp"

namespace rigel {

namespace {
void join(ReplayTimeline::Cell& cell, std::int64_t span_ns, const ActivityCounts& counts) {
  if (span_ns == 0) return;
  cell.span_ns += span_ns;
  cell.counts.then(counts);
}
}  // namespace

void ReplayTimeline::add(std::int64_t from_ns, std::int64_t to_ns,
                         std::span<const ActivityCounts> targets) {
  ActivityCounts together;
  for (const ActivityCounts& target : targets) together += target;
  while (from_ns / interval_ns_ >= static_cast<std::int64_t>(kMaxCells)) double_interval();
  const auto index = static_cast<std::size_t>(from_ns / interval_ns_);
  join(cells_[index], to_ns - from_ns, together);
  size_ = index + 1;
}

void ReplayTimeline::double_interval() {
  std::array<Cell, kMaxCells> joined{};
  for (std::size_t i = 0; i < size_; ++i) join(joined[i / 2], cells_[i].span_ns, cells_[i].counts);
  cells_ = joined;
  size_ = (size_ + 1) / 2;
  interval_ns_ *= 2;
}

}  // namespace rigel
