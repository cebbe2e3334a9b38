#include "cli/prometheus_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "traces/byte_sink.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

std::string escaped(const std::string& label) {
  std::string text;
  for (const char c : label) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text;
}

struct Counter {
  const char* name;
  const char* help;
  double (*value)(const IoCount&);
};

constexpr std::array kCounters{
    Counter{"reads_total", "Reads completed.",
            [](const IoCount& one) { return static_cast<double>(one.reads); }},
    Counter{"writes_total", "Writes completed.",
            [](const IoCount& one) { return static_cast<double>(one.writes); }},
    Counter{"other_ios_total", "Flushes, discards and the like completed.",
            [](const IoCount& one) { return static_cast<double>(one.others); }},
    Counter{"read_bytes_total", "Bytes read.",
            [](const IoCount& one) { return static_cast<double>(one.read_bytes); }},
    Counter{"written_bytes_total", "Bytes written.",
            [](const IoCount& one) { return static_cast<double>(one.write_bytes); }},
    Counter{"busy_seconds_total", "Time with at least one I/O under way.",
            [](const IoCount& one) { return static_cast<double>(one.busy_ns) / 1e9; }},
};

constexpr std::array<std::int64_t, 14> kBounds{
    50'000,     100'000,    200'000,    500'000,     1'000'000,   2'000'000,   5'000'000,
    10'000'000, 20'000'000, 50'000'000, 100'000'000, 200'000'000, 500'000'000, 1'000'000'000};

// By device or by role.
void append_family(const char* by, const std::map<std::string, IoCount>& counts,
                   std::string& text) {
  auto out = std::back_inserter(text);
  for (const Counter& counter : kCounters) {
    fmt::format_to(out, "# HELP rigel_{0}_{1} {2}\n# TYPE rigel_{0}_{1} counter\n", by,
                   counter.name, counter.help);
    for (const auto& [name, one] : counts) {
      fmt::format_to(out, "rigel_{0}_{1}{{{0}=\"{2}\"}} {3}\n", by, counter.name, escaped(name),
                     counter.value(one));
    }
  }
  fmt::format_to(out,
                 "# HELP rigel_{0}_latency_seconds From submission to completion.\n"
                 "# TYPE rigel_{0}_latency_seconds histogram\n",
                 by);
  for (const auto& [name, one] : counts) {
    const std::string label = fmt::format("{}=\"{}\"", by, escaped(name));
    for (const std::int64_t bound : kBounds) {
      fmt::format_to(out, "rigel_{}_latency_seconds_bucket{{{},le=\"{}\"}} {}\n", by, label,
                     static_cast<double>(bound) / 1e9, one.latency.count_at_or_below(bound));
    }
    fmt::format_to(out, "rigel_{0}_latency_seconds_bucket{{{1},le=\"+Inf\"}} {2}\n", by, label,
                   one.latency.count());
    fmt::format_to(out, "rigel_{0}_latency_seconds_sum{{{1}}} {2}\n", by, label,
                   one.latency.mean_ns() * static_cast<double>(one.latency.count()) / 1e9);
    fmt::format_to(out, "rigel_{0}_latency_seconds_count{{{1}}} {2}\n", by, label,
                   one.latency.count());
  }
}

}  // namespace

std::string prometheus_text(const IoCounts& counts, const TraceTables& tables) {
  std::string text;
  append_family("device", counts.devices(), text);
  append_family("role", counts.roles(), text);
  std::map<std::string, std::uint64_t> lost;
  for (const Loss& loss : tables.losses) lost[loss.cause] += loss.count;
  text +=
      "# HELP rigel_lost_total I/Os that happened and are not counted.\n"
      "# TYPE rigel_lost_total counter\n";
  if (lost.empty()) text += "rigel_lost_total 0\n";
  for (const auto& [cause, count] : lost) {
    fmt::format_to(std::back_inserter(text), "rigel_lost_total{{cause=\"{}\"}} {}\n",
                   escaped(cause), count);
  }
  return text;
}

PrometheusFile::PrometheusFile(std::string path, std::int64_t interval_ns)
    : path_{std::move(path)}, interval_ns_{interval_ns} {}

void PrometheusFile::write(const RecordBatch& batch, const TraceTables& tables) {
  counts_.add(batch, tables);
}

void PrometheusFile::tick(std::int64_t now_ns, const TraceTables& tables) {
  if (written_ns_ != 0 && now_ns - written_ns_ < interval_ns_) return;
  written_ns_ = now_ns;
  replace(tables);
}

void PrometheusFile::finish(const TraceTables& tables) {
  replace(tables);
}

void PrometheusFile::replace(const TraceTables& tables) const {
  // The collector looks at *.prom only.
  const std::string next = path_ + ".new";
  const std::string text = prometheus_text(counts_, tables);
  const auto file = create_file(next);
  file->write(std::as_bytes(std::span{text}));
  file->close();
  if (std::rename(next.c_str(), path_.c_str()) != 0) {
    throw system_error(path_, "cannot replace", errno);
  }
}

}  // namespace rigel
