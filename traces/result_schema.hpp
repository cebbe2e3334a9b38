// The version of what rigel's commands print with --json (rigel-results(5)), and who may read it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rigel {

inline constexpr int kResultSchema = 1;

// Throws Error naming the file when a result is of another version, or says none.
void require_result_schema(const nlohmann::json& result, const std::string& name);

}  // namespace rigel
