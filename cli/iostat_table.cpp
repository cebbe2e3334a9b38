#include "cli/iostat_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kMebibyte = 1048576;

double ratio(std::uint64_t part, double whole) {
  return whole > 0 ? static_cast<double>(part) / whole : 0;
}

// wait and actv are the mean lengths of the two queues, wsvc_t and asvc_t the mean times in them by
// Little's law, %w and %b the shares of time that they were not empty (iostat(8) of illumos).
void solaris_line(std::string& text, const std::string& name, const ActivityCounts& io,
                  double interval_ns, std::size_t devices) {
  const double seconds = interval_ns / 1e9;
  const double ios = static_cast<double>(io.reads + io.writes + io.others);
  const double busy_ns = interval_ns * static_cast<double>(devices);
  fmt::format_to(
      std::back_inserter(text),
      "{:6.1f} {:6.1f} {:6.1f} {:6.1f} {:4.1f} {:4.1f} {:6.1f} {:6.1f} {:3.0f} {:3.0f} {}\n",
      ratio(io.reads, seconds), ratio(io.writes + io.others, seconds),
      ratio(io.read_bytes, seconds * kMebibyte), ratio(io.write_bytes, seconds * kMebibyte),
      ratio(io.wait_sum_ns, interval_ns), ratio(io.run_sum_ns, interval_ns),
      ratio(io.wait_sum_ns, ios * 1e6), ratio(io.run_sum_ns, ios * 1e6),
      100 * ratio(io.wait_busy_ns, busy_ns), 100 * ratio(io.run_busy_ns, busy_ns), name);
}

// iostat(1) of sysstat; await is from issue to completion.
void linux_line(std::string& text, const std::string& name, const ActivityCounts& io,
                double interval_ns, std::size_t devices) {
  const double seconds = interval_ns / 1e9;
  const auto reads = static_cast<double>(io.reads);
  const auto writes = static_cast<double>(io.writes + io.others);
  fmt::format_to(
      std::back_inserter(text),
      "{:<14} {:8.2f} {:8.2f} {:7.2f} {:8.2f} {:8.2f} {:8.2f} {:7.2f} {:8.2f} {:7.2f} {:6.2f}\n",
      name, ratio(io.reads, seconds), ratio(io.read_bytes, seconds * kMebibyte),
      ratio(io.read_service_ns, reads * 1e6), ratio(io.read_bytes, reads * 1024),
      ratio(io.writes + io.others, seconds), ratio(io.write_bytes, seconds * kMebibyte),
      ratio(io.write_service_ns, writes * 1e6), ratio(io.write_bytes, writes * 1024),
      ratio(io.run_sum_ns, interval_ns),
      100 * ratio(io.run_busy_ns, interval_ns * static_cast<double>(devices)));
}

bool is_idle(const ActivityCounts& io) {
  return io.reads + io.writes + io.others + io.run_sum_ns + io.wait_sum_ns == 0;
}

}  // namespace

IostatStyle parse_iostat_style(std::string_view text) {
  if (text == "solaris") return IostatStyle::kSolaris;
  if (text == "linux") return IostatStyle::kLinux;
  throw UsageError{fmt::format("--table {}: must be solaris or linux", text)};
}

std::string iostat_table(IostatStyle style, std::span<const IostatRow> rows,
                         std::int64_t interval_ns) {
  const auto line = style == IostatStyle::kSolaris ? solaris_line : linux_line;
  const double interval = static_cast<double>(interval_ns);
  std::string text =
      style == IostatStyle::kSolaris
          ? "                    extended device statistics\n"
            "   r/s    w/s   Mr/s   Mw/s wait actv wsvc_t asvc_t  %w  %b device\n"
          : "Device              r/s    rMB/s r_await rareq-sz      w/s    wMB/s w_await wareq-sz "
            " aqu-sz  %util\n";
  std::set<std::string> seen;
  for (const IostatRow& row : rows) {
    if (seen.insert(row.controller).second) {
      ActivityCounts total;
      std::size_t devices = 0;
      for (const IostatRow& other : rows) {
        if (other.controller != row.controller) continue;
        total += other.counts;
        ++devices;
      }
      if (devices > 1 && !is_idle(total)) line(text, row.controller, total, interval, devices);
    }
    if (!is_idle(row.counts)) line(text, row.device, row.counts, interval, 1);
  }
  return text;
}

}  // namespace rigel
