// The part of `rigel model` about an array's cache: write-back, read-ahead, segments, flash.
// Options in, counts out; see controller_cache.hpp for what they mean.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "model/cache/cache_analysis.hpp"

namespace rigel {

void add_controller_options(CommandOptions& options);
// Unset when none of the options is given. Throws UsageError for values that make no sense.
[[nodiscard]] std::optional<ControllerOptions> controller_options(const po::variables_map& values,
                                                                  std::uint32_t page_bytes);

// A table of what the disks and the tiers saw, a line for each result. Pure; no errors.
[[nodiscard]] std::string controller_text(const CacheAnswer& answer);
// Members for one result's object.
[[nodiscard]] nlohmann::ordered_json controller_json(const CacheResult& result,
                                                     const CacheAnswer& answer);

}  // namespace rigel
