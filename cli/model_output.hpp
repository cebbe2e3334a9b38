// What `rigel model` prints of a trace's answer, for people and as JSON. Pure; no errors of its
// own. A ratio of nothing, or one that a sample cannot tell, is "-" and null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/cache/cache_analysis.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

// `tables` names the groups that the answer knows by index.
[[nodiscard]] std::string model_text(const CacheQuestion& question, const CacheAnswer& answer,
                                     const TraceTables& tables);
[[nodiscard]] nlohmann::ordered_json model_json(const CacheQuestion& question,
                                                const CacheAnswer& answer,
                                                const TraceTables& tables);

}  // namespace rigel
