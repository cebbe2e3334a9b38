// io_flag bits as text: "sync+fua", "0" for none, bits without a name as "0x…". Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rigel {

[[nodiscard]] std::string format_flags(std::uint32_t flags);
// What format_flags() wrote; an empty text is none. False for anything else.
[[nodiscard]] bool parse_flags(std::string_view text, std::uint32_t& flags);

}  // namespace rigel
