// What `fio --output-format=json` prints (its HOWTO, "JSON output") as one run: throughput of all
// jobs together, completion latencies, which count from submission as a replay's service times do,
// and what went wrong. fio gives percentiles by direction and job: those of all, and of reads and
// writes, are pooled (percentile_table.hpp). A job that ended with an error is one of failed_jobs.
// A pure function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/compare/measured_result.hpp"

namespace rigel {

// None when it is something else. Throws nlohmann::json::exception for members of other types, and
// Error for percentiles that fall.
[[nodiscard]] std::optional<MeasuredResult> result_of_fio(const nlohmann::json& object,
                                                          const std::string& name);

}  // namespace rigel
