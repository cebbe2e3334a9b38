// One HTML page that shows results: no network, no other file; opens from disk.
// Pure functions; they throw Error for a result that no report shows, and for allocation.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rigel {

struct ReportInput {
  std::string name;               // what to call it: the file's name
  nlohmann::ordered_json result;  // of a rigel command, see rigel-results(5)
};

// Names and texts in the results may be any bytes: they are data on the page, never markup or
// script, and what is not UTF-8 in them becomes U+FFFD. The page holds no more than thinning.hpp
// leaves of each result.
[[nodiscard]] std::string report_page(const std::string& title, std::vector<ReportInput> inputs);

}  // namespace rigel
