// Tells the results of rigel's commands (rigel-results(5)) from each other by what they hold.
// A pure function; nothing here throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace rigel {

// "trace" (rigel info), "model", "replay", "explanation", "fit", "comparison", "plan", "lun" or
// "curve" (rigel simulate and orion); nothing for what no report shows. The fields that a report
// cannot do without are there, and of the right type, when a kind is returned.
[[nodiscard]] std::optional<std::string_view> result_kind(const nlohmann::ordered_json& result);

}  // namespace rigel
