// The lines of a text trace, read in large pieces. Takes "\n" and "\r\n", a missing line end at the
// end of the file, and a byte order mark at the beginning. One thread; next() throws what the
// source throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traces/byte_source.hpp"

namespace rigel {

class LineReader {
 public:
  // Longer lines are no part of any trace: next() hands out this much of them and passes over the
  // rest, so that a file without line ends costs no memory.
  static constexpr std::size_t kLongestLine = std::size_t{64} << 10;

  explicit LineReader(std::unique_ptr<ByteSource> source);

  // The next line without its end, valid until the next call; false at the end of the input.
  bool next(std::string_view& line);

  [[nodiscard]] std::uint64_t line_number() const { return line_number_; }  // from 1
  [[nodiscard]] std::uint64_t line_offset() const { return line_offset_; }  // after decompression
  [[nodiscard]] std::uint64_t next_offset() const { return buffer_offset_ + begin_; }
  [[nodiscard]] bool overlong() const { return overlong_; }  // the line was cut at kLongestLine
  [[nodiscard]] const std::string& name() const { return source_->name(); }

 private:
  // Makes room and reads more; false when nothing came.
  bool refill();
  void skip_to_line_end();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;            // of what is not handed out yet
  std::size_t end_ = 0;              // of what was read
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the input
  std::uint64_t line_number_ = 0;
  std::uint64_t line_offset_ = 0;
  bool overlong_ = false;
  bool pending_skip_ = false;  // the rest of an overlong line is still to be passed over
};

}  // namespace rigel
