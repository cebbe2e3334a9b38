#include "traces/peekable_source.hpp"

#include <algorithm>
#include <cstring>

namespace rigel {

std::span<const std::byte> PeekableSource::peek(std::size_t count) {
  const std::size_t held = head_.size() - at_;
  if (held < count) {
    head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    head_.resize(count);
    head_.resize(held + source_->read(std::span{head_}.subspan(held)));
  }
  return std::span{head_}.subspan(at_, std::min(count, head_.size() - at_));
}

std::size_t PeekableSource::read(std::span<std::byte> into) {
  const std::size_t from_head = std::min(into.size(), head_.size() - at_);
  if (from_head != 0) std::memcpy(into.data(), head_.data() + at_, from_head);
  at_ += from_head;
  if (from_head == into.size()) return from_head;
  return from_head + source_->read(into.subspan(from_head));
}

}  // namespace rigel
