#include "cli/replay_dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/missing_json.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

void add(TargetPlan& plan, const PlannedIo& io) {
  if (io.op == IoOp::kRead) {
    ++plan.reads;
    plan.read_bytes += io.length_bytes;
  } else {
    ++(io.op == IoOp::kWrite ? plan.writes : plan.others);
    plan.write_bytes += io.length_bytes;
  }
  if (io.length_bytes == 0) return;
  plan.first_byte = std::min(plan.first_byte, io.offset_bytes);
  plan.end_byte = std::max(plan.end_byte, io.offset_bytes + io.length_bytes);
}

RecordSource::Reasons not_issued(const ReplayPlan& plan) {
  RecordSource::Reasons reasons = plan.tally.left_out;
  for (const auto& [reason, count] : plan.tally.impossible) reasons[reason] += count;
  return reasons;
}

}  // namespace

ReplayPlan plan_replay(RecordSource& source, std::size_t targets, ReplayTiming timing,
                       const std::atomic<bool>& stop) {
  ReplayPlan plan;
  plan.targets.resize(targets);
  std::vector<PlannedIo> ios(512);
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  while (!stop) {
    const std::size_t count = source.next(ios);
    if (count == 0) break;
    if (plan.would_issue == 0) first_ns = ios.front().due_ns;
    last_ns = ios[count - 1].due_ns;
    plan.would_issue += count;
    for (std::size_t i = 0; i < count; ++i) add(plan.targets[ios[i].target], ios[i]);
  }
  if (timing == ReplayTiming::kOriginal && plan.would_issue > 0) {
    plan.duration_ns = last_ns - first_ns;
  }
  plan.interrupted = stop;
  plan.tally = source.tally();
  return plan;
}

nlohmann::ordered_json plan_json(const ReplayPlan& plan, std::span<const Target> targets,
                                 bool writes) {
  nlohmann::ordered_json json;
  json["schema"] = 1;
  json["dry_run"] = true;
  json["interrupted"] = plan.interrupted;
  json["records"] = plan.tally.records;
  json["would_issue"] = plan.would_issue;
  json["not_issued"] = not_issued(plan);
  json["moved"] = plan.tally.moved;
  json["widened"] = plan.tally.widened;
  if (plan.duration_ns) json["intended_duration_ns"] = *plan.duration_ns;
  if (plan.tally.recorded_duration_ns) {
    json["recorded_duration_ns"] = *plan.tally.recorded_duration_ns;
  }
  json["writes"] = writes;
  json["targets"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const TargetPlan& target = plan.targets[i];
    nlohmann::ordered_json entry = {{"path", targets[i].path()},
                                    {"size_bytes", targets[i].size_bytes()},
                                    {"reads", target.reads},
                                    {"writes", target.writes},
                                    {"others", target.others},
                                    {"read_bytes", target.read_bytes},
                                    {"write_bytes", target.write_bytes}};
    if (target.end_byte > 0) {
      entry["first_byte"] = target.first_byte;
      entry["end_byte"] = target.end_byte;
    }
    json["targets"].push_back(std::move(entry));
  }
  add_missing_counts(plan.tally.missing, json);
  json["notes"] = plan.tally.notes;
  return json;
}

std::string plan_text(const ReplayPlan& plan, std::span<const Target> targets, bool writes) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<15} {} of {} records", "would issue", format_count(plan.would_issue),
                 format_count(plan.tally.records));
  if (plan.duration_ns) fmt::format_to(out, " in {}", format_duration(*plan.duration_ns));
  if (plan.tally.recorded_duration_ns) {
    fmt::format_to(out, " (recorded {})", format_duration(*plan.tally.recorded_duration_ns));
  }
  fmt::format_to(out, "{}\n", plan.interrupted ? ", and more: interrupted" : "");
  for (const auto& [reason, count] : not_issued(plan)) {
    fmt::format_to(out, "{:<15} {}: {}\n", "not issued", format_count(count), reason);
  }
  if (plan.tally.moved > 0) {
    fmt::format_to(out, "{:<15} {} I/Os, to fit into the target\n", "moved",
                   format_count(plan.tally.moved));
  }
  if (plan.tally.widened > 0) {
    fmt::format_to(out, "{:<15} {} I/Os, to whole blocks\n", "widened",
                   format_count(plan.tally.widened));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const TargetPlan& target = plan.targets[i];
    fmt::format_to(out, "{:<15} {} ({}): {} reads, {}; {} writes, {}; {} others", "target",
                   targets[i].path(), format_bytes(targets[i].size_bytes()),
                   format_count(target.reads), format_bytes(target.read_bytes),
                   format_count(target.writes), format_bytes(target.write_bytes),
                   format_count(target.others));
    if (target.end_byte > 0) {
      fmt::format_to(out, "; bytes {} to {}", format_count(target.first_byte),
                     format_count(target.end_byte));
    }
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "{:<15} {}\n", "writing",
                 writes ? "what is on the targets would be lost" : "nothing would be written");
  for (const std::string& reason : plan.tally.missing.reasons) {
    fmt::format_to(out, "{:<15} {}\n", "missing", reason);
  }
  for (const std::string& note : plan.tally.notes) {
    fmt::format_to(out, "{:<15} {}\n", "note", note);
  }
  return text;
}

}  // namespace rigel
