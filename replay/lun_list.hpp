// ORION's <testname>.lun: a device or file a line. Blank lines, remarks that begin with #, white
// space around a name and DOS line ends do not matter.
// Throws Error naming the file (and line) when it cannot be read or names nothing, or names a LUN
// twice.
#pragma once

#include <string>
#include <vector>

namespace rigel {

[[nodiscard]] std::vector<std::string> read_lun_list(const std::string& path);

}  // namespace rigel
