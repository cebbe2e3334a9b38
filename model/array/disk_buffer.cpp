#include "model/array/disk_buffer.hpp"

#include <algorithm>
#include <cmath>

namespace rigel {

DiskBuffer::DiskBuffer(const Shape& shape, double ns_per_byte)
    : segments_(shape.segments), shape_{shape}, ns_per_byte_{ns_per_byte} {}

// How far it reads ahead when the host has read up to `end`.
std::uint64_t DiskBuffer::limit_after(std::uint64_t end) const {
  const std::uint64_t limit = end + shape_.segment_bytes;
  if (shape_.stop_bytes == 0) return limit;
  return std::min(limit, (end + shape_.stop_bytes - 1) / shape_.stop_bytes * shape_.stop_bytes);
}

void DiskBuffer::advance(std::int64_t now_ns) {
  if (ahead_ == kNone || now_ns <= since_ns_) return;
  const double bytes = static_cast<double>(now_ns - since_ns_) / ns_per_byte_;
  const std::uint64_t most = limit_ - std::min(limit_, from_);
  Segment& run = segments_[ahead_];
  run.end = std::max(
      run.end, from_ + static_cast<std::uint64_t>(std::min(bytes, static_cast<double>(most))));
  if (run.end - run.begin > shape_.segment_bytes) run.begin = run.end - shape_.segment_bytes;
}

std::optional<std::int64_t> DiskBuffer::find(std::int64_t now_ns, std::uint64_t offset_bytes,
                                             std::uint64_t length_bytes) {
  advance(now_ns);
  const std::uint64_t end = offset_bytes + length_bytes;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    Segment& run = segments_[i];
    const bool begins_in_it = run.begin <= offset_bytes && offset_bytes <= run.end;
    const bool held = begins_in_it && end <= run.end;
    const bool coming = begins_in_it && i == ahead_ && end <= limit_;
    if (!held && !coming) continue;
    run.used = ++uses_;
    if (i != ahead_) return now_ns;
    // The arm goes on from where it is.
    if (limit_after(end) > limit_) {
      from_ = run.end;
      since_ns_ = std::max(now_ns, since_ns_);
      limit_ = limit_after(end);
    }
    if (held) return now_ns;
    return since_ns_ + std::llround(static_cast<double>(end - from_) * ns_per_byte_);
  }
  return std::nullopt;
}

void DiskBuffer::arm_leaves(std::int64_t now_ns) {
  advance(now_ns);
  ahead_ = kNone;
}

// An empty run counts as never used, so it goes first.
std::size_t DiskBuffer::hold(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  const auto least =
      std::min_element(segments_.begin(), segments_.end(),
                       [](const Segment& a, const Segment& b) { return a.used < b.used; });
  if (least == segments_.end()) return kNone;
  const std::uint64_t end = offset_bytes + length_bytes;
  *least = {std::max(offset_bytes, end - std::min(end, shape_.segment_bytes)), end, ++uses_};
  return static_cast<std::size_t>(least - segments_.begin());
}

void DiskBuffer::read(std::int64_t done_ns, std::uint64_t offset_bytes,
                      std::uint64_t length_bytes) {
  ahead_ = hold(offset_bytes, length_bytes);
  if (shape_.around && ahead_ != kNone) {
    Segment& run = segments_[ahead_];
    run.begin = std::min(run.begin, offset_bytes / shape_.stop_bytes * shape_.stop_bytes);
  }
  from_ = offset_bytes + length_bytes;
  since_ns_ = done_ns;
  limit_ = limit_after(from_);
}

void DiskBuffer::write(std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  for (Segment& run : segments_) {
    if (run.begin < offset_bytes + length_bytes && offset_bytes < run.end) run = {};
  }
  hold(offset_bytes, length_bytes);
}

}  // namespace rigel
