#include "traces/importers/sniff_text.hpp"

namespace rigel {

std::string_view text_head(const SniffInput& input) {
  std::string_view text{reinterpret_cast<const char*>(input.head.data()), input.head.size()};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  // A crash can leave zeros behind text, but no text begins with them.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    text = text.substr(0, zero);
    if (text.find('\n') == std::string_view::npos) return {};
  }
  // A last line without its end may be cut: only a short input ends like that by itself.
  if (const std::size_t end = text.rfind('\n'); end != std::string_view::npos) {
    return text.substr(0, end + 1);
  }
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool sniff_lines(const SniffInput& input, bool (*accept)(std::string_view line)) {
  constexpr int kLines = 16;
  std::string_view text = text_head(input);
  int seen = 0;
  int accepted = 0;
  while (seen < kLines && !text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    ++seen;
    if (accept(line)) ++accepted;
    if (accepted == 0) return false;
  }
  return accepted * 2 > seen;
}

}  // namespace rigel
