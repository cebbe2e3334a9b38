#include "traces/importers/line_reader.hpp"

#include <cstring>
#include <span>

namespace rigel {
namespace {
// Small enough to stay in the second level cache between being read and being parsed.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
static_assert(kBufferBytes > 2 * LineReader::kLongestLine);
}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source)
    : source_{std::move(source)}, buffer_{std::make_unique_for_overwrite<char[]>(kBufferBytes)} {}

bool LineReader::refill() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  buffer_offset_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got =
      source_->read(std::as_writable_bytes(std::span{buffer_.get() + end_, kBufferBytes - end_}));
  end_ += got;
  return got != 0;
}

void LineReader::skip_to_line_end() {
  for (;;) {
    const char* from = buffer_.get() + begin_;
    if (const void* found = std::memchr(from, '\n', end_ - begin_)) {
      begin_ += static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1;
      return;
    }
    begin_ = end_;
    if (!refill()) return;
  }
}

bool LineReader::next(std::string_view& line) {
  if (pending_skip_) {
    skip_to_line_end();
    pending_skip_ = false;
  }
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.get() + begin_;
    const std::size_t held = end_ - begin_;
    const void* found = std::memchr(from + searched, '\n', held - searched);
    std::size_t length = held;
    overlong_ = false;
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - from);
    } else if (held <= kLongestLine) {
      searched = held;
      if (refill()) continue;
      if (held == 0) return false;
    }
    line_offset_ = buffer_offset_ + begin_;
    ++line_number_;
    // After refill() the bytes may have moved.
    line = {buffer_.get() + begin_, length};
    begin_ += length + (found != nullptr ? 1 : 0);
    if (length > kLongestLine) {
      overlong_ = true;
      line = line.substr(0, kLongestLine);
      // The view must stay valid, so that the rest is passed over by the next call.
      pending_skip_ = found == nullptr;
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(3);
    return true;
  }
}

}  // namespace rigel
