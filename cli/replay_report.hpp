// A replay's result as people and programs read it. What is not known, or was not measured, is null
// or left out, never 0. Pure; nothing throws but for want of memory.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/iostat_table.hpp"
#include "replay/replay_result.hpp"

namespace rigel {

[[nodiscard]] nlohmann::ordered_json replay_json(const ReplayResult& result);
// `devices`: one for each target of the result; their counts are taken from it.
[[nodiscard]] std::string replay_text(const ReplayResult& result,
                                      const std::vector<IostatRow>& devices, IostatStyle style);

}  // namespace rigel
