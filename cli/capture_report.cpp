#include "cli/capture_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "traces/quantity.hpp"

namespace rigel {

void note_ledger(const RecordingResult& result, TraceMeta& meta) {
  meta.extra["duration_ns"] = std::to_string(result.duration_ns);
  meta.extra["started"] = std::to_string(result.ledger.started());
  meta.extra["recorded"] = std::to_string(result.recorded);
  meta.extra["ends_unseen"] = std::to_string(result.ends_unseen);
  meta.extra["in_flight_at_start"] = std::to_string(result.in_flight_at_start);
  meta.extra["in_flight_at_stop"] = std::to_string(result.in_flight_at_stop);
  meta.extra["lost"] = std::to_string(result.ledger.lost());
}

namespace {

void report_losses(const std::vector<Loss>& losses, const char* where_all_are) {
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, losses.size()); ++i) {
    const Loss& loss = losses[i];
    fmt::print(stderr, "  lost {} between {} and {}: {}\n", format_count(loss.count),
               format_duration(loss.from_ns), format_duration(loss.to_ns), loss.cause);
  }
  if (losses.size() > kShown) {
    fmt::print(stderr, "  and in {} more places{}\n", losses.size() - kShown, where_all_are);
  }
}

void report_recorder(const RecordingResult& result, std::uint64_t ios_seen) {
  fmt::print(stderr, "recorder: {} CPU, {} resident\n", format_duration(result.cpu_ns),
             format_bytes(static_cast<std::uint64_t>(result.resident_kib) * 1024));
  if (ios_seen != 0) return;
  fmt::print(stderr,
             "No block I/O was seen. Is it the right device? Oracle's Direct NFS and Exadata "
             "cells make none on this host: look for 'Direct NFS' or 'cell' in the alert log\n");
}

}  // namespace

void report_recording(const RecordingResult& result, const TraceTables& tables) {
  fmt::print(stderr, "{} I/Os started in {}: {} recorded, {} still in flight, {} lost\n",
             format_count(result.ledger.started()), format_duration(result.duration_ns),
             format_count(result.recorded), format_count(result.in_flight_at_stop),
             format_count(result.ledger.lost()));
  if (result.ends_unseen != 0) {
    fmt::print(stderr, "  {} of those recorded without their end, for which no program was run\n",
               format_count(result.ends_unseen));
  }
  report_losses(tables.losses, ", all of which are in the trace");
  if (result.in_flight_at_start != 0) {
    fmt::print(stderr, "{} more had begun before the recording\n",
               format_count(result.in_flight_at_start));
  }
  report_recorder(result, result.ledger.started() + result.in_flight_at_start);
}

void report_sampling(const RecordingResult& result, const page_accesses& all,
                     const std::vector<Loss>& losses) {
  fmt::print(stderr,
             "{} reads and writes in {}: {} touched a page of the sample, {} of these lost\n",
             format_count(all.ios), format_duration(result.duration_ns),
             format_count(result.ledger.started()), format_count(result.ledger.lost()));
  report_losses(losses, "");
  report_recorder(result, all.ios);
}

void report_costs(const BlockTracer& tracer, std::uint64_t ios, std::int64_t recorder_ns) {
  std::uint64_t total_ns = 0;
  for (const ProgramCost& cost : tracer.costs()) {
    total_ns += cost.run_ns;
    if (cost.runs == 0) continue;
    fmt::print(stderr, "  {:<16} {:>12} runs, {:>5.0f} ns each{}\n", cost.name,
               format_count(cost.runs),
               static_cast<double>(cost.run_ns) / static_cast<double>(cost.runs),
               cost.missed == 0 ? "" : fmt::format(", {} not run", format_count(cost.missed)));
  }
  if (ios == 0) return;
  const auto each = static_cast<double>(ios);
  fmt::print(stderr, "each I/O: {:.0f} ns in the kernel, {:.0f} ns in the recorder\n",
             static_cast<double>(total_ns) / each, static_cast<double>(recorder_ns) / each);
}

}  // namespace rigel
