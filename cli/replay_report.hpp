// A replay's result as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "replay/replay_result.hpp"

namespace rigel {

[[nodiscard]] nlohmann::ordered_json replay_json(const ReplayResult& result);
[[nodiscard]] std::string replay_text(const ReplayResult& result);

}  // namespace rigel
