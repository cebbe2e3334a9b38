// The hit ratio over cache size as a file: `--curve NAME.csv` or `NAME.svg`. A trace without hits
// or without accesses gives a curve of one size. Errors as each function says.
#pragma once

#include <string>

#include "model/cache/cache_analysis.hpp"

namespace rigel {

// Throws UsageError for a name that ends in neither.
void check_curve_name(const std::string& path);
// Throws Error naming the file when it cannot be written.
void write_curve(const std::string& path, const CacheQuestion& question, const CacheAnswer& answer);

}  // namespace rigel
