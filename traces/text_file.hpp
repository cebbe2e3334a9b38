// Small text files, whole: results, configurations, tables. Not for traces, which are streamed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "traces/byte_source.hpp"
#include "traces/error.hpp"

namespace rigel {

// All of `source`; throws Error when it is longer than `limit_bytes` or holds a NUL byte, which no
// text does.
[[nodiscard]] std::string read_text(ByteSource& source, std::size_t limit_bytes = 64U << 20);

// Lines one after the other, without their LF or CR LF, counted from 1. The text must outlive it.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_{text} {}
  // The next line into `line`; false at the end.
  bool next(std::string_view& line);
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Without the white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// "<subject>: line <line>: <what>"
[[nodiscard]] Error error_in_line(const std::string& subject, std::size_t line,
                                  const std::string& what);

}  // namespace rigel
