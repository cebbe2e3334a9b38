// The synthetic workload that comes closest to a recorded one: a job of fio's (3.x), and ORION's
// options where the workload is one that ORION can issue: random, evenly spread, of one size.
//
// Where it reads and writes: `zoned_abs`, the recorded heat as up to 8 zones (heat_zones.hpp), the
// hottest at the low addresses; `random` where one zone is enough. So hot spots and footprint are
// followed, and reuse as far as draws are independent; not that pages are used again soon, nor
// where on the device they are. fio's own `zipf` would not do: it hashes ranks onto blocks, some of
// which it then never reaches, and its blocks are of the smallest length. Pure functions; nothing
// throws but allocation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/compare/workload_profile.hpp"

namespace rigel {

struct FioJob {
  std::vector<std::pair<std::string, std::string>> settings;  // in order
  std::vector<std::string> notes;                             // what the job cannot follow
};

// None for a profile without reads and writes.
[[nodiscard]] std::optional<FioJob> fio_job_of(const WorkloadProfile& profile);
// As a file that `fio` takes, with the notes as comments.
[[nodiscard]] std::string fio_job_text(const FioJob& job, const std::string& source);
// The options of `rigel orion`; none when ORION cannot issue such a workload.
[[nodiscard]] std::optional<std::string> orion_options_of(const WorkloadProfile& profile);

}  // namespace rigel
