// What `rigel model` prints of a trace's answer, for people and as JSON.
#pragma once

#include <string>

#include "model/cache/cache_analysis.hpp"

namespace rigel {

[[nodiscard]] std::string model_text(const CacheQuestion& question, const CacheAnswer& answer);
[[nodiscard]] std::string model_json(const CacheQuestion& question, const CacheAnswer& answer);

}  // namespace rigel
