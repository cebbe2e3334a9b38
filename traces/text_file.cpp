#include "traces/text_file.hpp"

#include <fmt/format.h>

#include <array>
#include <span>

namespace rigel {

std::string read_text(ByteSource& source, std::size_t limit_bytes) {
  std::string text;
  std::array<std::byte, 65536> chunk;
  while (const std::size_t got = source.read(chunk)) {
    const char* bytes = reinterpret_cast<const char*>(chunk.data());
    const std::size_t nul = std::string_view{bytes, got}.find('\0');
    if (nul != std::string_view::npos) {
      throw error_at(source.name(), text.size() + nul, "a NUL byte: this is not a text file");
    }
    text.append(bytes, got);
    if (text.size() > limit_bytes) {
      throw error_at(source.name(), limit_bytes,
                     fmt::format("too long for a text of this kind ({} bytes)", limit_bytes));
    }
  }
  return text;
}

bool TextLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Error error_in_line(const std::string& subject, std::size_t line, const std::string& what) {
  return Error{fmt::format("{}: line {}: {}", subject, line, what)};
}

}  // namespace rigel
