#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>

#include "cli/summary_report.hpp"
#include "traces/missing_records.hpp"
#include "traces/printable.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::size_t kTopRows = 8;
constexpr std::string_view kShades = " .:-=+*#%@";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string rate(double per_second) {
  return per_second < 10 ? fmt::format("{:.2f}", per_second)
                         : format_count(static_cast<std::uint64_t>(per_second + 0.5));
}

// In the unit of format_bytes(), which stands in the same tables; iostat's MB/s are these too.
std::string mebibytes(double bytes_per_second) {
  const double rate = bytes_per_second / 0x1p20;
  return fmt::format("{:.{}f} MiB/s", rate, rate < 10 ? 2 : 1);
}

// A line "label   value".
void put(std::string& out, std::string_view label, std::string_view value) {
  out += fmt::format("{:<12} {}\n", label, printable(value));
}

double seconds_of(const TraceSummary& summary) {
  return static_cast<double>(summary.duration_ns) / 1e9;
}

void put_origin(std::string& out, const std::string& name, const TraceSummary& summary) {
  const TraceMeta& meta = summary.tables.meta;
  std::string text = name;
  if (!meta.source.empty()) text += fmt::format(", by {}", meta.source);
  if (!meta.host.empty()) text += fmt::format(", on {}", meta.host);
  if (!meta.kernel.empty()) text += fmt::format(" ({})", meta.kernel);
  put(out, "trace", text);
  if (meta.start_wall_ns != 0) {
    put(out, "began",
        fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                    fmt::gmtime(static_cast<std::time_t>(meta.start_wall_ns / 1'000'000'000))));
  }
}

void put_rates(std::string& out, const TraceSummary& summary) {
  const double seconds = seconds_of(summary);
  if (summary.records == 0) return put(out, "I/Os", "none");
  if (!summary.has_times) {
    put(out, "duration", "not known: the trace holds no times");
    put(out, "I/Os", format_count(summary.records));
    return;
  }
  put(out, "duration", format_duration(summary.duration_ns));
  std::string ios = format_count(summary.records);
  if (seconds > 0) {
    ios += fmt::format(", {} /s", rate(static_cast<double>(summary.records) / seconds));
  }
  if (seconds >= 1) {
    ios += fmt::format("; {} in the busiest second, {} after the start",
                       format_count(summary.peak_second_records),
                       format_duration(summary.peak_second_ns));
  }
  put(out, "I/Os", ios);
}

void put_ops(std::string& out, const TraceSummary& summary) {
  const double seconds = seconds_of(summary);
  if (!summary.knows(Column::kOp)) put(out, "operations", "not known: the trace does not say");
  if (!summary.knows(Column::kLength)) put(out, "sizes", "not known: the trace holds no lengths");
  for (std::uint8_t i = 0; i < kIoOpCount; ++i) {
    const OpTotals& op = summary.totals.ops[i];
    if (op.records == 0) continue;
    const bool has_bytes = summary.knows(Column::kLength);
    std::string line =
        fmt::format("  {:<12} {:>15} {:>8}",
                    summary.knows(Column::kOp) ? op_name(static_cast<IoOp>(i)) : "(unknown)",
                    format_count(op.records), format_percent(share(op.records, summary.records)));
    if (has_bytes) line += fmt::format(" {:>12}", format_bytes(op.bytes));
    if (has_bytes && seconds > 0) {
      line += fmt::format(" {:>14}", mebibytes(static_cast<double>(op.bytes) / seconds));
    }
    if (i <= static_cast<std::uint8_t>(IoOp::kWrite) && summary.knows_places()) {
      line += fmt::format("   {:>7} sequential", format_percent(share(op.sequential, op.records)));
    }
    out += line + "\n";
  }
}

void put_doubts(std::string& out, const TraceSummary& summary) {
  const MissingRecords missing = missing_records(summary.tables);
  if (missing.none()) {
    put(out, "lost", "none");
  } else if (missing.total() == 0) {
    put(out, "lost", "an unknown number of I/Os");
  } else {
    put(out, "lost",
        fmt::format("{}{} I/Os ({}): {} in recording, {} in damage",
                    missing.at_least ? "at least " : "", format_count(missing.total()),
                    format_percent(share(missing.total(), missing.total() + summary.records)),
                    format_count(missing.in_recording), format_count(missing.in_damage)));
  }
  for (const std::string& reason : missing.reasons) put(out, "", reason);
  for (const auto& [code, count] : summary.errors) {
    put(out, "FAILED",
        fmt::format("{} I/Os with {}", format_count(count), std::generic_category().message(code)));
  }
}

// The question is whether the load re-read blocks more than a random generator does by accident.
std::string reuse_text(const Reuse& reuse, std::string_view what) {
  std::string text = fmt::format("{} of page {} were to a page {} before; at random {:.2f} %",
                                 format_percent(reuse.ratio()), what,
                                 what == "reads" ? "read" : "written", 100 * reuse.uniform_ratio());
  if (reuse.uniform_deviation < 0) return text;
  const UniformInterval interval = reuse.uniform_interval();
  const double ratio = reuse.ratio();
  const std::string_view verdict = ratio > interval.high  ? "more than chance"
                                   : ratio < interval.low ? "less than chance"
                                                          : "as chance has it";
  return text +
         fmt::format(" ({:.2f}..{:.2f} %): {}", 100 * interval.low, 100 * interval.high, verdict);
}

void put_footprint(std::string& out, const TraceSummary& summary) {
  if (!summary.knows_places()) {
    put(out, "footprint", "not known: it takes the offset and the length of each I/O");
    return;
  }
  const std::uint64_t page = summary.page_bytes;
  put(out, "footprint",
      fmt::format(
          "{} in pages of {}: read {} of a {} span, written {} of {}",
          format_bytes(summary.footprint_pages * page), format_bytes(page),
          format_bytes(summary.reads.distinct * page), format_bytes(summary.reads.span * page),
          format_bytes(summary.writes.distinct * page), format_bytes(summary.writes.span * page)));
  if (summary.reads.accesses != 0) put(out, "re-read", reuse_text(summary.reads, "reads"));
  if (summary.writes.accesses != 0) put(out, "re-written", reuse_text(summary.writes, "writes"));
}

void put_arrivals(std::string& out, const TraceSummary& summary) {
  if (!summary.has_times || summary.records < 3) return;
  std::string text =
      fmt::format("interarrival variation {:.2f}", summary.interarrival_squared_variation);
  if (summary.dispersion_100ms) {
    text += fmt::format(", dispersion of counts {:.2f} by 100 ms", *summary.dispersion_100ms);
  }
  if (summary.dispersion_1s) text += fmt::format(", {:.2f} by second", *summary.dispersion_1s);
  put(out, "burstiness", text + " (Poisson: 1)");
  if (summary.totals.completed != 0) {
    put(out, "outstanding",
        fmt::format("{:.2f} on average, {} at most", summary.mean_outstanding,
                    format_count(summary.max_outstanding)));
  }
}

void put_sizes(std::string& out, const TraceSummary& summary) {
  if (!summary.knows(Column::kLength)) return;
  const std::uint64_t reads = summary.totals.of(IoOp::kRead).records;
  const std::uint64_t writes = summary.totals.of(IoOp::kWrite).records;
  std::string head = fmt::format("\n{:<12}", "size up to");
  std::string read_line = fmt::format("{:<12}", "  reads");
  std::string write_line = fmt::format("{:<12}", "  writes");
  for (std::size_t i = 0; i < summary.read_sizes.size(); ++i) {
    if (summary.read_sizes[i] == 0 && summary.write_sizes[i] == 0) continue;
    head += fmt::format(" {:>8}", format_bytes(std::uint64_t{1} << i));
    read_line += fmt::format(" {:>8}", format_percent(share(summary.read_sizes[i], reads)));
    write_line += fmt::format(" {:>8}", format_percent(share(summary.write_sizes[i], writes)));
  }
  out += head + "\n";
  if (reads != 0) out += read_line + "\n";
  if (writes != 0) out += write_line + "\n";
}

void put_latency_line(std::string& out, std::string_view who, std::string_view part,
                      const LatencyHistogram& histogram) {
  if (histogram.count() == 0) return;
  out += fmt::format("  {:<14} {:<9} {:>13}", who, part, format_count(histogram.count()));
  for (const std::int64_t value :
       {static_cast<std::int64_t>(histogram.mean_ns()), histogram.quantile_ns(0.5),
        histogram.quantile_ns(0.9), histogram.quantile_ns(0.99), histogram.quantile_ns(0.999),
        histogram.max_ns()}) {
    out += fmt::format(" {:>9}", format_duration(value));
  }
  out += "\n";
}

void put_latency_group(std::string& out, std::string_view who, const LatencyGroup& group) {
  put_latency_line(out, who, "queue", group.queue);
  put_latency_line(out, who, "service", group.service);
  put_latency_line(out, who, "response", group.response);
}

void put_latency(std::string& out, const TraceSummary& summary) {
  if (summary.totals.completed == 0) return;
  out += fmt::format("\n{:<16} {:<9} {:>13} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "latency", "",
                     "I/Os", "mean", "p50", "p90", "p99", "p99.9", "max");
  for (std::uint8_t i = 0; i < kIoOpCount; ++i) {
    if (!summary.op_latency[i]) continue;
    put_latency_group(out, op_name(static_cast<IoOp>(i)), *summary.op_latency[i]);
  }
  const auto& roles = summary.role_latency;
  if (roles.empty() || (roles.size() == 1 && roles.begin()->first.empty())) return;
  for (const auto& [role, group] : roles) {
    put_latency_group(out, role.empty() ? "(no role)" : role, group);
  }
}

void put_classes(std::string& out, const TraceSummary& summary) {
  if (summary.io_classes.empty()) return;
  out += fmt::format("\n{:<32}{:>14} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "as a DBA names them",
                     "I/Os", "share", "size", "mean", "p50", "p99");
  for (const auto& [name, kind] : summary.io_classes) {
    const LatencyHistogram& response = kind.response;
    const auto latency = [&](double ns) {
      return response.count() == 0 ? std::string{"-"}
                                   : format_duration(static_cast<std::int64_t>(ns));
    };
    out += fmt::format("  {:<30}{:>14} {:>8} {:>10} {:>10} {:>10} {:>10}\n", name,
                       format_count(kind.records),
                       format_percent(share(kind.records, summary.records)),
                       format_bytes(kind.bytes / kind.records), latency(response.mean_ns()),
                       latency(static_cast<double>(response.quantile_ns(0.5))),
                       latency(static_cast<double>(response.quantile_ns(0.99))));
  }
}

std::string totals_row(const IoTotals& totals, const TraceSummary& summary) {
  const OpTotals all = totals.all();
  const std::uint64_t reads = totals.of(IoOp::kRead).records;
  const std::uint64_t accesses = reads + totals.of(IoOp::kWrite).records;
  const double seconds = seconds_of(summary);
  return fmt::format("{:>14} {:>8} {:>8} {:>11} {:>8} {:>10}", format_count(all.records),
                     format_percent(share(all.records, summary.records)),
                     summary.knows(Column::kOp) ? format_percent(share(reads, all.records)) : "",
                     seconds > 0 && summary.knows(Column::kLength)
                         ? mebibytes(static_cast<double>(all.bytes) / seconds)
                         : "",
                     summary.knows_places() ? format_percent(share(all.sequential, accesses)) : "",
                     totals.completed == 0
                         ? ""
                         : format_duration(static_cast<std::int64_t>(totals.mean_response_ns())));
}

template <typename Entry, typename NameOf>
void put_top(std::string& out, std::string_view title, const std::vector<Entry>& entries,
             const TraceSummary& summary, NameOf name_of) {
  if (entries.empty()) return;
  out += fmt::format("\n{:<32}{:>14} {:>8} {:>8} {:>11} {:>8} {:>10}\n", title, "I/Os", "share",
                     "reads", "rate", "sequent.", "mean");
  const std::size_t shown = std::min(entries.size(), kTopRows);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("  {:<30.30}{}\n", printable(name_of(entries[i])),
                       totals_row(entries[i].totals, summary));
  }
  if (shown < entries.size()) {
    out += fmt::format("  and {} more (all of them with --json)\n", entries.size() - shown);
  }
}

std::string stream_name(const StreamSummary& stream) {
  std::string name = stream.comm.empty() ? "process" : stream.comm;
  if (stream.pid != 0) name += fmt::format(" {}", stream.pid);
  if (!stream.role.empty()) name += fmt::format(" ({})", stream.role);
  return name;
}

// One shade a value, the darkest for the largest; what is not nothing is never blank.
char shade(double value, double largest) {
  if (value <= 0) return kShades.front();
  const auto steps = static_cast<double>(kShades.size() - 1);
  const auto step = static_cast<std::size_t>(std::ceil(value / largest * steps));
  return kShades[std::clamp<std::size_t>(step, 1, kShades.size() - 1)];
}

void put_timeline(std::string& out, const TraceSummary& summary, std::size_t max_columns) {
  const auto& cells = summary.timeline;
  if (cells.size() < 2) return;
  const std::size_t joined = (cells.size() + max_columns - 1) / max_columns;
  const auto width_ns = static_cast<double>(summary.timeline_cell_ns * joined);
  const auto put_row = [&](std::string_view label, auto value_of, auto unit) {
    std::vector<double> columns((cells.size() + joined - 1) / joined);
    std::vector<bool> unknown(columns.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      columns[i / joined] += value_of(cells[i]);
      if (summary.timeline_unknown[i]) unknown[i / joined] = true;
    }
    const double largest = *std::max_element(columns.begin(), columns.end());
    if (largest <= 0) return;
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line += columns[i] == 0 && unknown[i] ? '?' : shade(columns[i], largest);
    }
    out += fmt::format("  {:<12}|{}| up to {}\n", label, line, unit(largest));
  };
  const bool gaps = std::find(summary.timeline_unknown.begin(), summary.timeline_unknown.end(),
                              true) != summary.timeline_unknown.end();
  out += fmt::format("\nover time, a column is {}{}\n",
                     format_duration(static_cast<std::int64_t>(width_ns)),
                     gaps ? "; ?: I/Os are missing" : "");
  put_row(
      "I/Os", [](const Timeline::Cell& cell) { return static_cast<double>(cell.records); },
      [&](double value) { return rate(value / width_ns * 1e9) + " /s"; });
  put_row(
      "bytes", [](const Timeline::Cell& cell) { return static_cast<double>(cell.bytes); },
      [&](double value) { return mebibytes(value / width_ns * 1e9); });
  put_row(
      "outstanding", [](const Timeline::Cell& cell) { return cell.outstanding_ns; },
      [&](double value) { return fmt::format("{:.1f} on average", value / width_ns); });
}

void put_heat_map(std::string& out, const TraceSummary& summary) {
  if (summary.devices.empty() || !summary.knows(Column::kOffset)) return;
  const DeviceSummary& device = summary.devices.front();
  const HeatMap::Picture& map = device.heat_map;
  if (map.rows.empty()) return;
  std::uint64_t largest = 0;
  for (const auto& row : map.rows)
    largest = std::max(largest, *std::max_element(row.begin(), row.end()));
  out +=
      fmt::format("\naddresses of {}, a column is {}, the darkest {} I/Os\n",
                  device.device.name.empty() ? "the device" : printable(device.device.name),
                  format_duration(static_cast<std::int64_t>(map.column_ns)), format_count(largest));
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    std::string line;
    for (const std::uint64_t count : map.rows[i]) {
      line += shade(static_cast<double>(count), static_cast<double>(largest));
    }
    out += fmt::format("  {:>12}|{}|\n", format_bytes(map.first_bytes + i * map.row_bytes), line);
  }
}

}  // namespace

std::string summary_text(const std::string& name, const TraceSummary& summary) {
  std::string out;
  put_origin(out, name, summary);
  put_rates(out, summary);
  put_ops(out, summary);
  put_doubts(out, summary);
  put_footprint(out, summary);
  put_arrivals(out, summary);
  put_sizes(out, summary);
  put_latency(out, summary);
  put_classes(out, summary);
  put_top(out, "devices", summary.devices, summary, [](const DeviceSummary& device) {
    return device.device.name.empty() ? std::string{"(unnamed)"} : device.device.name;
  });
  put_top(out, "processes", summary.streams, summary, stream_name);
  put_timeline(out, summary, SummaryOptions{}.heat_map_columns);
  put_heat_map(out, summary);
  return out;
}

}  // namespace rigel
