// How text formats recognise themselves: by whether the first lines read like theirs.
#pragma once

#include <string_view>

#include "traces/importer.hpp"

namespace rigel {

// The head as text, with no more than its whole lines; empty when it is binary.
[[nodiscard]] std::string_view text_head(const SniffInput& input);

// Takes the next line off the front of `text`, without its end or a trailing CR.
[[nodiscard]] std::string_view take_line(std::string_view& text);

// Whether the first non-empty line and most of the first sixteen are ones that `accept` takes.
[[nodiscard]] bool sniff_lines(const SniffInput& input, bool (*accept)(std::string_view line));

}  // namespace rigel
