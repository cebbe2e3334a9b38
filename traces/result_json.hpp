// The JSON that rigel's commands print with --json (rigel-results(5)), as input of the next one.
// A pure function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace rigel {

inline constexpr int kResultSchema = 1;

// An object of the version that this rigel knows; its keys may be in any order. Throws Error naming
// `name` for what is no JSON, no such object, or one of another version.
[[nodiscard]] nlohmann::ordered_json parse_rigel_json(std::string_view text,
                                                      const std::string& name);

}  // namespace rigel
