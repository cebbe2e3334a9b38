// The command line of `rigel orion`: ORION's own, single dashes and all, and what rigel adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/orion_plan.hpp"
#include "traces/orion_files.hpp"

namespace rigel {

struct OrionOptions {
  OrionParameters parameters;  // num_disks 0: as many as the .lun file names
  OrionStyle style = OrionStyle::k112;
  std::string command_line;  // as given, for the summary
  bool verbose = false;
  std::optional<std::uint64_t> seed;
  bool no_repeat = false;
  bool doubtful_luns = false;           // measure LUNs that check_lun doubts
  bool huge_cache = false;              // -cache_size means what it says, however large
  std::uint64_t array_cache_bytes = 0;  // --cache: for the expected hit ratio
  std::vector<std::string> destroy_data;
  std::string record_path;
  bool json = false;
};

// Throws UsageError, and HelpRequested for -help.
[[nodiscard]] OrionOptions parse_orion_options(const std::vector<std::string>& arguments);

}  // namespace rigel
