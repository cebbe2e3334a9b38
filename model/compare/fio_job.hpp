// The synthetic workload that comes closest to a recorded one: a job of fio's (3.x), and ORION's
// options where the workload is one that ORION can issue: random, evenly spread, of one size.
//
// Where fio reads: `zipf:theta` over as many blocks as give the recorded number of distinct ones in
// as many requests; theta is the one whose Lorenz curve of touched blocks is nearest to the
// recorded one (expected counts are Poisson, block by block). When none is within kNearEnough of
// it, zones with the recorded shares (`zoned`) are used instead. Zipf's block ranks are scattered,
// so this follows reuse and hot spots, not where on the device they are. Pure functions; nothing
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

// How requests are spread over blocks of the mean request's pages.
struct ZipfSpread {
  double theta = 0;   // 0: uniform
  double blocks = 0;  // over so many
  double gap = 0;     // the largest between its Lorenz curve and the recorded one
};
// Of so many requests that touched so many distinct blocks.
[[nodiscard]] ZipfSpread nearest_zipf(double requests, double distinct_blocks,
                                      const LorenzCurve& recorded);

}  // namespace rigel
