#include "cli/replay_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>

#include "cli/latency_json.hpp"
#include "cli/missing_json.hpp"
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

// null where there is nothing to say.
template <typename Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json{};
}

Json slip_json(const LatencyHistogram& slip) {
  if (slip.count() == 0) return nullptr;
  return {{"p50", slip.quantile_ns(0.5)},
          {"p99", slip.quantile_ns(0.99)},
          {"p999", slip.quantile_ns(0.999)},
          {"max", slip.max_ns()}};
}

Json fidelity_json(const ReplayResult& result) {
  const Fidelity& fidelity = result.fidelity;
  const IssuerResult& issue = result.issue;
  Json json;
  json["verdict"] = fidelity.faithful ? "faithful" : "unfaithful";
  json["reasons"] = fidelity.reasons;
  json["advice"] = fidelity.advice;
  json["duration_error"] = optional_json(fidelity.duration_error);
  json["slip_ns"] = slip_json(issue.slip);
  json["interarrival_ks"] = optional_json(fidelity.interarrival_ks);
  json["outstanding"] = fidelity.outstanding;
  json["recorded_outstanding"] = optional_json(fidelity.recorded_outstanding);
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
                       {"issued", target.counts.issued},
                       {"reads", target.counts.reads},
                       {"writes", target.counts.writes},
                       {"others", target.counts.others},
                       {"read_bytes", target.counts.read_bytes},
                       {"write_bytes", target.counts.write_bytes},
                       {"errors", target.counts.errors},
                       {"outstanding", target.mean_outstanding},
                       {"recorded_outstanding", optional_json(target.recorded_outstanding)},
                       {"busy", target.busy},
                       {"longest_silence_ns", target.longest_silence_ns}});
  }
  return targets;
}

// What is not known of an interval is null: nobody looked, or there was nothing to take a mean of.
Json timeline_json(const ReplayResult& result) {
  const auto list = [&](auto&& figure) {
    Json values = Json::array();
    for (const ReplayTimeline::Cell& cell : result.timeline.cells()) {
      values.push_back(cell.span_ns == 0 ? Json{} : figure(cell.counts, cell.span_ns));
    }
    return values;
  };
  const auto per = [](auto sum, auto whole) {
    return static_cast<double>(sum) / static_cast<double>(whole);
  };
  Json json{{"interval_ns", result.timeline.interval_ns()}};
  json["iops"] = list([&](const ActivityCounts& io, std::int64_t span_ns) {
    return Json(per(io.reads + io.writes + io.others, span_ns) * 1e9);
  });
  json["bytes_per_second"] = list([&](const ActivityCounts& io, std::int64_t span_ns) {
    return Json(per(io.read_bytes + io.write_bytes, span_ns) * 1e9);
  });
  json["outstanding"] = list([&](const ActivityCounts& io, std::int64_t span_ns) {
    return Json(per(io.run_sum_ns, span_ns));
  });
  if (result.fidelity.recorded_outstanding) {
    json["recorded_outstanding"] = list([&](const ActivityCounts& io, std::int64_t span_ns) {
      return Json(per(io.recorded_service_ns, span_ns));
    });
  }
  if (result.timing == ReplayTiming::kFlatOut) return json;
  json["slip_ns"] = list([&](const ActivityCounts& io, std::int64_t) {
    return io.issued == 0 ? Json{} : Json(io.wait_sum_ns / io.issued);
  });
  json["slip_max_ns"] = list([&](const ActivityCounts& io, std::int64_t) {
    return io.issued == 0 ? Json{} : Json(io.worst_slip_ns);
  });
  return json;
}

Json verify_json(const ReplayResult& result) {
  const VerifyResult& verify = *result.verify;
  Json json = {{"blocks_written", verify.blocks_written},
               {"checked_during", verify.checked_during},
               {"checked_after", verify.checked_after},
               {"undecided", verify.undecided},
               {"not_tracked", verify.not_tracked},
               {"unreadable", verify.unreadable},
               {"complete", verify.complete}};
  for (std::size_t i = 0; i < kVerifyFaultCount; ++i) {
    json[std::string{fault_name(static_cast<VerifyFault>(i))}] = verify.faults[i];
  }
  json["first"] = Json::array();
  for (const VerifyFinding& finding : verify.first) {
    Json entry = {{"fault", fault_name(finding.fault)},
                  {"target", result.targets[finding.target].path},
                  {"offset_bytes", finding.offset_bytes}};
    if (finding.fault == VerifyFault::kMisdirected) {
      entry["meant_for_bytes"] = finding.meant_for_bytes;
    }
    json["first"].push_back(std::move(entry));
  }
  return json;
}

using Text = std::back_insert_iterator<std::string>;

void verify_section(Text out, const ReplayResult& result) {
  if (!result.verify) return;
  const VerifyResult& verify = *result.verify;
  fmt::format_to(out,
                 "{:<15} {} blocks written, {} checked meanwhile, {} read back after the run\n",
                 "verify", format_count(verify.blocks_written), format_count(verify.checked_during),
                 format_count(verify.checked_after));
  if (verify.undecided > 0) {
    fmt::format_to(out, "{:<15} {} blocks, written by writes that overlapped or failed\n",
                   "  undecided", format_count(verify.undecided));
  }
  if (verify.not_tracked > 0) {
    fmt::format_to(out, "{:<15} {} blocks, beyond what is kept in memory\n", "  not checked",
                   format_count(verify.not_tracked));
  }
  for (const VerifyFinding& finding : verify.first) {
    fmt::format_to(out, "  {:<13} byte {} of {}", fault_name(finding.fault), finding.offset_bytes,
                   result.targets[finding.target].path);
    if (finding.fault == VerifyFault::kMisdirected) {
      fmt::format_to(out, " holds what was meant for byte {}", finding.meant_for_bytes);
    }
    fmt::format_to(out, "\n");
  }
}

void device_section(Text out, const ReplayResult& result, std::vector<IostatRow> rows,
                    IostatStyle style) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].counts = result.targets[i].counts;
  // Since the replay's start: what was late had been waiting before the first I/O was issued.
  fmt::format_to(out, "\n{}", iostat_table(style, rows, result.issue.last_complete_ns));
}

void latency_line(Text out, std::string_view name, const LatencyHistogram& latency) {
  fmt::format_to(out, "{:<15}", name);
  if (latency.count() == 0) {
    fmt::format_to(out, " nothing was measured\n");
    return;
  }
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
  if (issue.slip.count() > 0) {
    fmt::format_to(
        out, "{:<15} p50 {}, p99 {}, p99.9 {}, max {}\n", "issue slip",
        format_duration(issue.slip.quantile_ns(0.5)), format_duration(issue.slip.quantile_ns(0.99)),
        format_duration(issue.slip.quantile_ns(0.999)), format_duration(issue.slip.max_ns()));
  }
  if (fidelity.duration_error) {
    fmt::format_to(out, "{:<15} {:+.4f} %\n", "duration error", *fidelity.duration_error * 100);
  }
  if (fidelity.interarrival_ks) {
    fmt::format_to(out, "{:<15} {:.4f} (KS distance of the distributions)\n", "issue gaps",
                   *fidelity.interarrival_ks);
  }
  fmt::format_to(out, "{:<15} {:.2f} on average, {} at most", "outstanding", fidelity.outstanding,
                 issue.most_outstanding);
  if (fidelity.recorded_outstanding) {
    fmt::format_to(out, ", {:.2f} when recorded", *fidelity.recorded_outstanding);
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
  add_missing_counts(result.tally.missing, json);
  json["issued"] = result.issue.issued;
  json["not_issued"] = not_issued_json(result);
  json["errors"] = errors_json(result);
  json["short_transfers"] = result.issue.short_transfers;
  json["duration_ns"] = result.duration_ns;
  json["recorded_duration_ns"] = optional_json(result.tally.recorded_duration_ns);
  const bool has_times = result.timing == ReplayTiming::kOriginal && result.issue.issued > 0;
  json["intended_duration_ns"] = has_times ? Json(result.intended_duration_ns) : Json{};
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
  json["timeline"] = timeline_json(result);
  if (result.verify) json["verify"] = verify_json(result);
  json["elapsed_ns"] = result.elapsed_ns;
  json["cpu_user_ns"] = result.cpu_user_ns;
  json["cpu_system_ns"] = result.cpu_system_ns;
  json["buffer_bytes"] = result.buffer_bytes;
  if (result.punted) {
    json["punted"] = {{"bytes", result.punted->bytes}, {"ios_estimate", result.punted->ios}};
  }
  json["notes"] = result.notes;
  return json;
}

std::string replay_text(const ReplayResult& result, const std::vector<IostatRow>& devices,
                        IostatStyle style) {
  std::string text;
  const Text out{text};
  const IssuerResult& issue = result.issue;
  fmt::format_to(out, "{:<15} {} of {} records in {}", "issued", format_count(issue.issued),
                 format_count(result.tally.records), format_duration(result.duration_ns));
  if (result.timing == ReplayTiming::kOriginal && issue.issued > 0) {
    fmt::format_to(out, ", intended {}", format_duration(result.intended_duration_ns));
  }
  if (result.tally.recorded_duration_ns) {
    fmt::format_to(out, ", recorded {}", format_duration(*result.tally.recorded_duration_ns));
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
  device_section(out, result, devices, style);
  fidelity_section(out, result);
  const auto percent = [&](std::int64_t cpu_ns) {
    return 100 * static_cast<double>(cpu_ns) /
           static_cast<double>(std::max<std::int64_t>(result.elapsed_ns, 1));
  };
  fmt::format_to(out, "{:<15} {:.1f} % of a core ({:.1f} % user, {:.1f} % system)\n", "CPU used",
                 percent(result.cpu_user_ns + result.cpu_system_ns), percent(result.cpu_user_ns),
                 percent(result.cpu_system_ns));
  verify_section(out, result);
  if (result.punted && result.punted->bytes > 0) {
    fmt::format_to(out, "{:<15} about {} I/Os, by kernel worker threads\n", "punted",
                   format_count(result.punted->ios));
  }
  for (const std::string& note : result.notes) {
    fmt::format_to(out, "{:<15} {}\n", "note", note);
  }
  return text;
}

}  // namespace rigel
