// Standard output for what is printed while a recording runs: whole tables, at once. Throws Error
// when it cannot be written, ReaderGone when its reader has gone.
#pragma once

#include <string>

namespace rigel {

void print_live(const std::string& text);

}  // namespace rigel
