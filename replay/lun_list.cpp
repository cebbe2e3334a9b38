#include "replay/lun_list.hpp"

#include <algorithm>
#include <string_view>

#include "traces/byte_source.hpp"
#include "traces/text_file.hpp"

namespace rigel {

std::vector<std::string> read_lun_list(const std::string& path) {
  const std::string text = read_text(*open_file(path), std::size_t{1} << 20);
  std::vector<std::string> luns;
  TextLines lines{text};
  for (std::string_view line; lines.next(line);) {
    const std::string_view name = trimmed(line);
    if (name.empty() || name.front() == '#') continue;
    if (std::find(luns.begin(), luns.end(), name) != luns.end()) {
      throw error_in_line(path, lines.number(), std::string{name} + " is named twice");
    }
    luns.emplace_back(name);
  }
  if (luns.empty()) throw Error{path + ": names no LUN (one device or file a line)"};
  return luns;
}

}  // namespace rigel
