// Damage in a trace as one line of text. Pure; nothing here throws.
#pragma once

#include <string>

#include "traces/trace_tables.hpp"

namespace rigel {

// "byte 4096: 1,234 bytes, 100 records lost: the checksum of a block's content does not match"
[[nodiscard]] std::string describe(const Damage& damage);

}  // namespace rigel
