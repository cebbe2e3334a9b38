// What happened but is not among the records of a trace: lost by whoever recorded it, or in parts
// of the file that cannot be read. What a verdict on the trace has to take into account.
// Complete only once the trace was read to its end. Pure functions; nothing here throws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel {

struct MissingRecords {
  std::uint64_t in_recording = 0;    // sum of TraceTables::losses
  std::uint64_t in_damage = 0;       // sum of TraceTables::damage, as far as it can be known
  std::uint64_t damaged_places = 0;  // entries of TraceTables::damage
  bool at_least = false;             // some damage may have cost more than is counted
  // A line for each cause of loss with its count, then one for each place of damage; at most 20,
  // the last of them then says how many more there are.
  std::vector<std::string> reasons;

  [[nodiscard]] std::uint64_t total() const { return in_recording + in_damage; }
  // The records are all there is.
  [[nodiscard]] bool none() const { return in_recording == 0 && damaged_places == 0; }
};

[[nodiscard]] MissingRecords missing_records(const TraceTables& tables);

// "byte 4096: 1,234 bytes, 100 records lost, the checksum of a block's content does not match"
[[nodiscard]] std::string describe(const Damage& damage);

}  // namespace rigel
