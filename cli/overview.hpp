// What `rigel`, `rigel help` and an unknown command say.
#pragma once

#include <string>
#include <string_view>

#include "traces/error.hpp"

namespace rigel {

// One line a command.
[[nodiscard]] std::string overview();
// Names the nearest command there is, if one is near. Returned, not thrown: `throw
// unknown_command(…)`.
[[nodiscard]] UsageError unknown_command(std::string_view name);

}  // namespace rigel
