// What a header line of a CSV file says about its columns: the field each name stands for, and its
// unit, from the name ("Time (us)", "offset_bytes", "Sectors") or from an option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traces/importers/line_layout.hpp"

namespace rigel {

struct CsvHeader {
  LineLayout layout;
  std::vector<std::string> doubts;  // what was taken for granted, to be told
  std::string ignored;              // columns that mean nothing to us, joined by ", "
  std::string refusal;              // why the header cannot be used; empty when it can
};

// `own` is for rigel's CSV, whose device and stream columns are indices into its tables.
[[nodiscard]] CsvHeader parse_csv_header(std::string_view line, const OpenOptions& options,
                                         bool own);

// Whether `line` begins with a column name of rigel's own CSV, as only its header lines do.
[[nodiscard]] bool is_own_header(std::string_view line);

// The line with quotes around cells taken off; false when a quoted cell holds a separator.
[[nodiscard]] bool unquote_cells(std::string_view line, char separator, std::string& unquoted);

}  // namespace rigel
