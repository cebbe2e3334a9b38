// The hit ratio over cache size: in the JSON, and as a file, `--curve NAME.csv` or `NAME.svg`. A
// trace without hits or without accesses gives a curve of one size. Errors as each function says.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/cache/cache_analysis.hpp"

namespace rigel {

struct CurvePoint {
  std::uint64_t pages = 0;
  EstimatedRatios ratios;  // of LRU
};
// Sixteen sizes to every doubling, from one page to where nothing more is to be had.
[[nodiscard]] std::vector<CurvePoint> curve_points(const CacheAnswer& answer);

// Throws UsageError for a name that ends in neither.
void check_curve_name(const std::string& path);
// Throws Error naming the file when it cannot be written.
// `json`: of the same answer, which the picture is made of.
void write_curve(const std::string& path, const CacheQuestion& question, const CacheAnswer& answer,
                 const nlohmann::ordered_json& json);

}  // namespace rigel
