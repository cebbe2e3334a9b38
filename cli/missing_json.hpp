// What a trace misses, as members of a command's --json object; the same for all of them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "traces/missing_records.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

// Adds "lost" (in recording and in damage), "lost_in_recording", "lost_in_damage" and
// "lost_at_least" (whether damage may have cost more than that) to `json`.
void add_missing_counts(const TraceTables& tables, nlohmann::ordered_json& json);
void add_missing_counts(const MissingRecords& missing, nlohmann::ordered_json& json);
// Adds "losses", "damage" and "warnings", entry by entry.
void add_missing_places(const TraceTables& tables, nlohmann::ordered_json& json);

}  // namespace rigel
