// What `fio --output-format=json` prints (its HOWTO, "JSON output") as one run: throughput of all
// jobs together, and completion latencies, which count from submission as a replay's service times
// do. fio gives percentiles by direction and job: they are known when one of these did all I/O.
// A pure function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/compare/measured_result.hpp"

namespace rigel {

// None when it is something else. Throws nlohmann::json::exception for members of other types.
[[nodiscard]] std::optional<MeasuredResult> result_of_fio(const nlohmann::json& object,
                                                          const std::string& name);

}  // namespace rigel
