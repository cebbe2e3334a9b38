#include "cli/live_table.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <iterator>

#include "cli/live_output.hpp"
#include "traces/missing_records.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr double kMega = 1024.0 * 1024.0;

void append_rows(const char* title, const std::map<std::string, IoCount>& counts,
                 std::int64_t interval_ns, std::string& text) {
  fmt::format_to(std::back_inserter(text),
                 "{:<16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6}\n", title,
                 "r/s", "w/s", "rMB/s", "wMB/s", "await", "p50", "p99", "p99.9", "aqu-sz", "%util");
  const double seconds = static_cast<double>(interval_ns) / 1e9;
  for (const auto& [name, one] : counts) {
    if (one.ios() == 0) continue;
    const auto latency = [&count = one](std::int64_t ns) {
      return count.latency.count() == 0 ? std::string{"-"} : format_duration(ns);
    };
    fmt::format_to(std::back_inserter(text),
                   "{:<16.16} {:>8.0f} {:>8.0f} {:>8.2f} {:>8.2f} {:>8} {:>8} {:>8} {:>8} {:>7.2f} "
                   "{:>6.1f}\n",
                   name, static_cast<double>(one.reads) / seconds,
                   static_cast<double>(one.writes) / seconds,
                   static_cast<double>(one.read_bytes) / seconds / kMega,
                   static_cast<double>(one.write_bytes) / seconds / kMega,
                   latency(static_cast<std::int64_t>(one.latency.mean_ns())),
                   latency(one.latency.quantile_ns(0.5)), latency(one.latency.quantile_ns(0.99)),
                   latency(one.latency.quantile_ns(0.999)), one.outstanding(interval_ns),
                   100 * one.utilisation(interval_ns));
  }
}

}  // namespace

std::string live_table(const IoCounts& counts, std::int64_t interval_ns) {
  std::string text;
  append_rows("device", counts.devices(), interval_ns, text);
  append_rows("role", counts.roles(), interval_ns, text);
  return text;
}

void LiveTable::write(const RecordBatch& batch, const TraceTables& tables) {
  counts_.add(batch, tables);
}

void LiveTable::tick(std::int64_t now_ns, const TraceTables& tables) {
  if (now_ns - begin_ns_ < interval_ns_) return;
  const std::uint64_t lost = missing_records(tables).in_recording;
  std::tm local{};
  const std::time_t wall = std::time(nullptr);
  localtime_r(&wall, &local);
  print_live(
      fmt::format("{:%H:%M:%S}{}\n{}\n", local,
                  lost == lost_ ? "" : fmt::format("  {} I/Os lost", format_count(lost - lost_)),
                  live_table(counts_, now_ns - begin_ns_)));
  lost_ = lost;
  begin_ns_ = now_ns;
  counts_.clear();
}

}  // namespace rigel
