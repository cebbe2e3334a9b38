#include "cli/replay_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

#include "cli/latency_json.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

Json not_issued_json(const ReplayResult& result) {
  Json reasons = Json::object();
  for (const auto& [reason, count] : result.tally.left_out) reasons[reason] = count;
  for (const auto& [reason, count] : result.tally.impossible) reasons[reason] = count;
  if (result.issue.not_issued > 0) reasons["replay ended before"] = result.issue.not_issued;
  return reasons;
}

Json errors_json(const ReplayResult& result) {
  Json errors = Json::object();
  for (const auto& [error, count] : result.issue.errors) {
    const char* name = strerrorname_np(error);
    errors[name != nullptr ? name : std::to_string(error)] = count;
  }
  return errors;
}

Json fidelity_json(const ReplayResult& result) {
  const Fidelity& fidelity = result.fidelity;
  const IssuerResult& issue = result.issue;
  Json json;
  json["verdict"] = fidelity.faithful ? "faithful" : "unfaithful";
  json["reasons"] = fidelity.reasons;
  json["advice"] = fidelity.advice;
  json["duration_error"] = fidelity.duration_error;
  json["slip_ns"] = {{"p50", issue.slip.quantile_ns(0.5)},
                     {"p99", issue.slip.quantile_ns(0.99)},
                     {"p999", issue.slip.quantile_ns(0.999)},
                     {"max", issue.slip.max_ns()}};
  json["interarrival_ks"] = fidelity.interarrival_ks;
  json["outstanding"] = fidelity.outstanding;
  json["recorded_outstanding"] = fidelity.recorded_outstanding;
  json["reordered"] = issue.reordered;
  json["stamps_backwards"] = result.tally.stamps_backwards;
  json["delayed"] = {{"depth_limit", issue.delays.depth_limit},
                     {"buffers", issue.delays.buffers},
                     {"read_ahead", issue.delays.read_ahead},
                     {"host", issue.delays.host}};
  json["submit_max_ns"] = issue.submit_max_ns;
  return json;
}

Json groups_json(const ReplayResult& result) {
  Json groups = Json::array();
  for (const auto& cell : result.latencies->cells()) {
    if (cell->service.count() == 0) continue;
    Json group;
    group["target"] = result.targets[cell->target].path;
    group["op"] = op_name(cell->op);
    group["up_to_bytes"] = cell->size_class == 0 ? 0 : std::uint64_t{1} << cell->size_class;
    group["role"] = result.roles[cell->role];
    group["ios"] = cell->service.count();
    group["bytes"] = cell->bytes;
    group["service_time_ns"] = latency_json(cell->service);
    group["response_time_ns"] = latency_json(cell->response);
    groups.push_back(std::move(group));
  }
  return groups;
}

Json targets_json(const ReplayResult& result) {
  Json targets = Json::array();
  for (const TargetTotals& target : result.targets) {
    targets.push_back({{"path", target.path},
                       {"issued", target.issued},
                       {"reads", target.reads},
                       {"writes", target.writes},
                       {"others", target.others},
                       {"read_bytes", target.read_bytes},
                       {"write_bytes", target.write_bytes},
                       {"errors", target.errors},
                       {"outstanding", target.mean_outstanding},
                       {"recorded_outstanding", target.recorded_outstanding},
                       {"busy", target.busy}});
  }
  return targets;
}

using Text = std::back_insert_iterator<std::string>;

void latency_line(Text out, std::string_view name, const LatencyHistogram& latency) {
  fmt::format_to(out, "{:<15}", name);
  const auto cell = [&](std::int64_t ns) { fmt::format_to(out, " {:>9}", format_duration(ns)); };
  cell(static_cast<std::int64_t>(latency.mean_ns()));
  for (const double quantile : {0.5, 0.9, 0.99, 0.999, 0.9999}) cell(latency.quantile_ns(quantile));
  cell(latency.max_ns());
  fmt::format_to(out, "\n");
}

void latency_section(Text out, const ReplayResult& result) {
  fmt::format_to(out, "\n{:<15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "latency", "mean",
                 "p50", "p90", "p99", "p99.9", "p99.99", "max");
  latency_line(out, "service time", result.service());
  latency_line(out, "response time", result.response());
  for (std::uint8_t index = 0; index < kIoOpCount; ++index) {
    LatencyHistogram of_op;
    for (const auto& cell : result.latencies->cells()) {
      if (cell->op == static_cast<IoOp>(index)) of_op.merge(cell->service);
    }
    if (of_op.count() == 0 || of_op.count() == result.issue.measured) continue;
    latency_line(out, fmt::format("  {}", op_name(static_cast<IoOp>(index))), of_op);
  }
}

void ramp_section(Text out, const ReplayResult& result) {
  if (result.rates.empty()) return;
  fmt::format_to(out, "\n{:<15} {:>12} {:>12} {:>12}\n", "ramp", "IOPS", "latency", "outstanding");
  for (const LoadPoint& point : result.load_curve().points) {
    fmt::format_to(out, "{:<15} {:>12.1f} {:>12} {:>12.2f}\n", "", point.iops,
                   format_duration(std::llround(point.latency_ns)), point.outstanding);
  }
}

void fidelity_section(Text out, const ReplayResult& result) {
  const Fidelity& fidelity = result.fidelity;
  const IssuerResult& issue = result.issue;
  fmt::format_to(out, "\n");
  if (!result.closed_loop) {
    fmt::format_to(
        out, "{:<15} p50 {}, p99 {}, p99.9 {}, max {}\n", "issue slip",
        format_duration(issue.slip.quantile_ns(0.5)), format_duration(issue.slip.quantile_ns(0.99)),
        format_duration(issue.slip.quantile_ns(0.999)), format_duration(issue.slip.max_ns()));
    fmt::format_to(out, "{:<15} {:+.4f} %, gaps between issues {:.4f} (KS distance)\n",
                   "duration error", fidelity.duration_error * 100, fidelity.interarrival_ks);
  }
  fmt::format_to(out, "{:<15} {:.2f} on average, {} at most", "outstanding", fidelity.outstanding,
                 issue.most_outstanding);
  if (fidelity.recorded_outstanding > 0) {
    fmt::format_to(out, ", {:.2f} when recorded", fidelity.recorded_outstanding);
  }
  fmt::format_to(out, "\n{:<15} {}\n", "faithful", fidelity.faithful ? "yes" : "no");
  for (const std::string& reason : fidelity.reasons) fmt::format_to(out, "  - {}\n", reason);
  for (const std::string& advice : fidelity.advice) fmt::format_to(out, "  advice: {}\n", advice);
}

}  // namespace

Json replay_json(const ReplayResult& result) {
  Json json;
  json["schema"] = 1;
  json["records"] = result.tally.records;
  json["issued"] = result.issue.issued;
  json["not_issued"] = not_issued_json(result);
  json["errors"] = errors_json(result);
  json["short_transfers"] = result.issue.short_transfers;
  json["duration_ns"] = result.duration_ns;
  json["recorded_duration_ns"] = result.recorded_duration_ns;
  json["intended_duration_ns"] = result.intended_duration_ns;
  json["iops"] = result.iops();
  json["bytes_per_second"] = result.bytes_per_second();
  json["service_time_ns"] = latency_json(result.service());
  json["response_time_ns"] = latency_json(result.response());
  json["fidelity"] = fidelity_json(result);
  if (!result.rates.empty()) {
    Json points = Json::array();
    for (const LoadPoint& point : result.load_curve().points) points.push_back(to_json(point));
    json["points"] = std::move(points);
  }
  json["groups"] = groups_json(result);
  json["targets"] = targets_json(result);
  json["cpu_user_ns"] = result.cpu_user_ns;
  json["cpu_system_ns"] = result.cpu_system_ns;
  json["buffer_bytes"] = result.buffer_bytes;
  if (result.punted) {
    json["punted"] = {{"bytes", result.punted->bytes}, {"ios_estimate", result.punted->ios}};
  }
  json["notes"] = result.notes;
  return json;
}

std::string replay_text(const ReplayResult& result) {
  std::string text;
  const Text out{text};
  const IssuerResult& issue = result.issue;
  fmt::format_to(out, "{:<15} {} of {} records in {}", "issued", format_count(issue.issued),
                 format_count(result.tally.records), format_duration(result.duration_ns));
  if (!result.closed_loop) {
    fmt::format_to(out, " (intended {}, recorded {})", format_duration(result.intended_duration_ns),
                   format_duration(result.recorded_duration_ns));
  }
  fmt::format_to(out, "\n");
  const Json not_issued = not_issued_json(result);
  for (const auto& [reason, count] : not_issued.items()) {
    fmt::format_to(out, "{:<15} {}: {}\n", "not issued", format_count(count.get<std::uint64_t>()),
                   reason);
  }
  const Json errors = errors_json(result);
  for (const auto& [name, count] : errors.items()) {
    fmt::format_to(out, "{:<15} {} x {}\n", "failed", format_count(count.get<std::uint64_t>()),
                   name);
  }
  fmt::format_to(out, "{:<15} {:.1f} IOPS, {:.2f} MB/s\n", "achieved", result.iops(),
                 result.bytes_per_second() / 1e6);
  latency_section(out, result);
  ramp_section(out, result);
  fidelity_section(out, result);
  const double seconds = static_cast<double>(std::max<std::int64_t>(result.duration_ns, 1));
  fmt::format_to(out, "{:<15} {:.0f} % of a core ({:.0f} % user, {:.0f} % system)\n", "CPU used",
                 100 * static_cast<double>(result.cpu_user_ns + result.cpu_system_ns) / seconds,
                 100 * static_cast<double>(result.cpu_user_ns) / seconds,
                 100 * static_cast<double>(result.cpu_system_ns) / seconds);
  if (result.punted && result.punted->bytes > 0) {
    fmt::format_to(out, "{:<15} about {} I/Os, by kernel worker threads\n", "punted",
                   format_count(result.punted->ios));
  }
  for (const std::string& note : result.notes) fmt::format_to(out, "{:<15} {}\n", "note", note);
  return text;
}

}  // namespace rigel
