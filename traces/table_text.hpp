// A trace's tables as lines between its records, for the text formats that keep everything: each
// line has a name ("meta", "devices", "streams", "losses", "warnings") and the JSON that .rgt keeps
// in the table block of that name, one entry a line. Damage is not among them: it is the file's,
// not the trace's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel {

struct TableLine {
  std::string_view name;
  std::string json;
};

// Says what is new in tables that only grow.
class TableLineWriter {
 public:
  // The lines for everything that was not yet in the tables at the last call.
  [[nodiscard]] std::vector<TableLine> take(const TraceTables& tables);

 private:
  std::string meta_;
  std::size_t devices_ = 0;
  std::size_t streams_ = 0;
  std::size_t losses_ = 0;
  std::size_t warnings_ = 0;
};

// Enters such a line; false when the name is unknown, the JSON is none, or entries are missing
// before its first one.
[[nodiscard]] bool apply_table_line(std::string_view name, std::string_view json,
                                    TraceTables& tables);

}  // namespace rigel
