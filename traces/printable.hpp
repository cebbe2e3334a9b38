// Text that came with a file or from another process, made fit for a terminal: names, and the words
// of a line that could not be read. Pure; safe from any thread; nothing here throws.
#pragma once

#include <string>
#include <string_view>

namespace rigel {

// The text with '?' for each control character and for each byte that is no part of a character of
// UTF-8, so that nothing in it can move the cursor, change colours or end the line.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace rigel
