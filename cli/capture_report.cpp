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

void report_recording(const RecordingResult& result, const TraceTables& tables) {
  fmt::print(stderr, "{} I/Os started in {}: {} recorded, {} still in flight, {} lost\n",
             format_count(result.ledger.started()), format_duration(result.duration_ns),
             format_count(result.recorded), format_count(result.in_flight_at_stop),
             format_count(result.ledger.lost()));
  if (result.ends_unseen != 0) {
    fmt::print(stderr, "  {} of those recorded without their end, for which no program was run\n",
               format_count(result.ends_unseen));
  }
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, tables.losses.size()); ++i) {
    const Loss& loss = tables.losses[i];
    fmt::print(stderr, "  lost {} between {} and {}: {}\n", format_count(loss.count),
               format_duration(loss.from_ns), format_duration(loss.to_ns), loss.cause);
  }
  if (tables.losses.size() > kShown) {
    fmt::print(stderr, "  and in {} more places, all of which are in the trace\n",
               tables.losses.size() - kShown);
  }
  if (result.in_flight_at_start != 0) {
    fmt::print(stderr, "{} more had begun before the recording\n",
               format_count(result.in_flight_at_start));
  }
  fmt::print(stderr, "recorder: {} CPU, {} resident\n", format_duration(result.cpu_ns),
             format_bytes(static_cast<std::uint64_t>(result.resident_kib) * 1024));
  if (result.ledger.started() + result.in_flight_at_start == 0) {
    fmt::print(stderr,
               "No block I/O was seen. Is it the right device? Oracle's Direct NFS and Exadata "
               "cells make none on this host: look for 'Direct NFS' or 'cell' in the alert log\n");
  }
}

void report_costs(const BlockTracer& tracer, const RecordingResult& result) {
  std::uint64_t total_ns = 0;
  for (const ProgramCost& cost : tracer.costs()) {
    total_ns += cost.run_ns;
    if (cost.runs == 0) continue;
    fmt::print(stderr, "  {:<16} {:>12} runs, {:>5.0f} ns each{}\n", cost.name,
               format_count(cost.runs),
               static_cast<double>(cost.run_ns) / static_cast<double>(cost.runs),
               cost.missed == 0 ? "" : fmt::format(", {} not run", format_count(cost.missed)));
  }
  const auto started = static_cast<double>(result.ledger.started());
  if (started == 0) return;
  fmt::print(stderr, "each I/O: {:.0f} ns in the kernel, {:.0f} ns in the recorder\n",
             static_cast<double>(total_ns) / started, static_cast<double>(result.cpu_ns) / started);
}

}  // namespace rigel
