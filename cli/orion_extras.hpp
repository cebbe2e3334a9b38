// What rigel says of an ORION run beyond what ORION says: percentiles, a time series, the hit ratio
// that was to be expected, and points that no number of disks explains.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/cache/random_pattern.hpp"
#include "replay/orion_runner.hpp"
#include "traces/orion_files.hpp"

namespace rigel {

// The hit ratio to be expected of uniform reads, from all that was read since the run began: the
// cache is taken to be empty then, and everything read to be kept until the cache is full.
class HitOutlook {
 public:
  HitOutlook() = default;  // expects nothing
  HitOutlook(std::uint64_t span_blocks, std::uint64_t cache_blocks);

  // Of the next `reads`, which count as read afterwards; negative when nothing can be expected.
  [[nodiscard]] double expect(std::uint64_t reads);

 private:
  std::optional<RandomPattern> pattern_;
  std::uint64_t cache_blocks_ = 0;
  double reads_ = 0;
};

struct OrionExtra {
  std::vector<OrionSecond> seconds;
  double expected_hit_ratio = -1;  // negative: unknown
};

[[nodiscard]] std::string orion_percentiles_csv(const OrionReport& report,
                                                const std::vector<OrionExtra>& extras);
[[nodiscard]] std::string orion_series_csv(const OrionReport& report,
                                           const std::vector<OrionExtra>& extras);
[[nodiscard]] nlohmann::ordered_json orion_json(const OrionReport& report,
                                                const std::vector<OrionExtra>& extras,
                                                std::uint64_t seed);

// A sentence for each point whose throughput grew faster than its load (load_growth.hpp); a tenth
// is let pass as noise.
[[nodiscard]] std::vector<std::string> doubts_about_points(const OrionReport& report);

}  // namespace rigel
