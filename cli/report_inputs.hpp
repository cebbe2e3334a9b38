// What `rigel report` is given, told by content: recordings, which are summarised in one pass each;
// the JSON of rigel's commands and of fio, which is a load curve of one point; load curves of
// ORION's and as CSV.
#pragma once

#include <string>
#include <vector>

#include "cli/trace_input.hpp"
#include "report/report_page.hpp"

namespace rigel {

// In the order of `paths`; files that belong together (one a CPU, or the iops, lat and mbps tables
// of an ORION run) are one. `traces` says which records of recordings to take. Damage and doubts go
// to standard error. Throws Error naming the file that is none of these, or cannot be read.
[[nodiscard]] std::vector<ReportInput> read_report_inputs(const std::vector<std::string>& paths,
                                                          const TraceInput& traces);

}  // namespace rigel
