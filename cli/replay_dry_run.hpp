// What a replay would do, from its source alone: --dry-run.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/replay_options.hpp"
#include "replay/record_source.hpp"
#include "replay/target.hpp"

namespace rigel {

struct TargetPlan {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t others = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t first_byte = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end_byte = 0;
};

struct ReplayPlan {
  RecordSource::Tally tally;
  std::uint64_t would_issue = 0;
  std::optional<std::int64_t> duration_ns;  // first to last due time; unset where there are none
  std::vector<TargetPlan> targets;
};

// Reads the source to its end, or until `stop` is set. Throws Error when it cannot be read.
[[nodiscard]] ReplayPlan plan_replay(RecordSource& source, std::size_t targets, ReplayTiming timing,
                                     const std::atomic<bool>& stop);
[[nodiscard]] nlohmann::ordered_json plan_json(const ReplayPlan& plan,
                                               std::span<const Target> targets, bool writes);
[[nodiscard]] std::string plan_text(const ReplayPlan& plan, std::span<const Target> targets,
                                    bool writes);

}  // namespace rigel
