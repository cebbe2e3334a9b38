#include "traces/orion_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "traces/error.hpp"
#include "traces/line_scanner.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

constexpr double kMega = 1024.0 * 1024.0;  // ORION's MB: 121 reads of 8 KB a second are "0.95 MBps"
constexpr std::size_t kMostPoints = 100'000;

struct Load {
  double small = 0;
  double large = 0;
};

// "@ Small=10 and Large=0"
Load scan_load(LineScanner& line) {
  if (!line.word("@")) throw Error{"no '@ Small=… and Large=…' on the line"};
  Load load;
  line.word("Small");
  load.small = line.number_after("=");
  line.word("and");
  line.word("Large");
  load.large = line.number_after("=");
  return load;
}

// What a cell of a "Large/Small" table holds. The file's own layout tells: iops and lat have no
// 0 column, mbps has; iops are whole numbers, latencies are not.
enum class Table { kNone, kIops, kLatency, kMbps };

class Parser {
 public:
  explicit Parser(const std::string& name) : name_{name} {}

  std::vector<OrionRun> parse(std::string_view text) {
    TextLines lines{text};
    for (std::string_view line; lines.next(line);) {
      try {
        take(line);
      } catch (const Error& error) {
        throw error_in_line(name_, lines.number(), error.what());
      }
    }
    finish_run();
    if (runs_.empty()) {
      throw Error{name_ +
                  ": nothing of ORION's in it: no 'ran (small): …' lines, no 'Maximum Small "
                  "IOPS=…', no table that begins with 'Large/Small'"};
    }
    return std::move(runs_);
  }

 private:
  void take(std::string_view line);
  bool take_heading(LineScanner line);
  bool take_setting(LineScanner line);
  void take_ran(LineScanner line, bool small);
  bool take_summary(LineScanner line);
  void take_latency(LineScanner line, bool writes);
  bool take_histogram(LineScanner line);
  void take_table_row(LineScanner line);
  void take_table_header(LineScanner line);
  void take_iostat(LineScanner line);

  LoadPoint& point(const Load& load);
  void finish_run();

  const std::string& name_;
  std::vector<OrionRun> runs_;
  OrionRun run_;
  bool command_line_next_ = false;
  Table table_ = Table::kNone;
  double table_latency_unit_ns_ = 1e6;
  std::vector<double> columns_;
};

LoadPoint& Parser::point(const Load& load) {
  for (LoadPoint& known : run_.curve.points) {
    if (known.outstanding == load.small && known.outstanding_large == load.large) return known;
  }
  if (run_.curve.points.size() >= kMostPoints) throw Error{"more than 100,000 points in a run"};
  LoadPoint& fresh = run_.curve.points.emplace_back();
  fresh.outstanding = load.small;
  fresh.outstanding_large = load.large;
  return fresh;
}

void Parser::finish_run() {
  table_ = Table::kNone;
  table_latency_unit_ns_ = 1e6;
  command_line_next_ = false;
  const bool announced = !run_.version.empty() || !run_.command_line.empty();
  if (announced || !run_.failure.empty() || !run_.curve.points.empty()) {
    run_.curve.source = name_;
    for (LoadPoint& done : run_.curve.points) {
      if (done.request_bytes == 0) {
        done.request_bytes = done.outstanding > 0 ? run_.small_bytes : run_.large_bytes;
      }
      if (done.duration_ns == 0) done.duration_ns = run_.duration_ns;
      if (done.write_fraction == 0) done.write_fraction = run_.write_percent / 100;
    }
    std::stable_sort(run_.curve.points.begin(), run_.curve.points.end(),
                     [](const LoadPoint& a, const LoadPoint& b) {
                       return a.outstanding != b.outstanding
                                  ? a.outstanding < b.outstanding
                                  : a.outstanding_large < b.outstanding_large;
                     });
    runs_.push_back(std::move(run_));
  }
  run_ = {};
}

void Parser::take(std::string_view raw) {
  LineScanner line{raw};
  // Published results carry the command line as a remark above the figures.
  if (line.word("#")) {
    if (!line.rest().starts_with("-run")) return;
    finish_run();
    run_.command_line = line.rest();
    return;
  }
  if (line.rest().empty()) return;
  if (command_line_next_) {
    run_.command_line = line.rest();
    command_line_next_ = false;
    return;
  }
  if (line.word("Large/Small")) return take_table_header(line);
  if (table_ != Table::kNone && line.rest().front() >= '0' && line.rest().front() <= '9') {
    return take_table_row(line);
  }
  if (line.word("ran (small):")) return take_ran(line, true);
  if (line.word("ran (large):")) return take_ran(line, false);
  if (take_summary(line) || take_setting(line) || take_heading(line)) return;
  if (take_histogram(line)) return;
  // From 11.2 on a table's file says above it what it holds, and latencies are microseconds.
  if (line.rest().find("microseconds") != std::string_view::npos) table_latency_unit_ns_ = 1e3;
  take_iostat(line);
}

bool Parser::take_heading(LineScanner line) {
  if (line.word("ORION VERSION")) {
    finish_run();
    run_.version = line.rest();
    return true;
  }
  if (line.word("ORION: ORacle IO Numbers -- Version")) {
    finish_run();
    run_.version = line.rest();
    return true;
  }
  if (line.word("Commandline:") || line.word("Command line:")) {
    command_line_next_ = true;
    return true;
  }
  for (const std::string_view words :
       {"Failure in", "rwbase_", "orion_main:", "Error in input parameters"}) {
    if (!line.rest().starts_with(words)) continue;
    if (run_.failure.empty()) run_.failure = line.rest();
    return true;
  }
  return false;
}

bool Parser::take_setting(LineScanner line) {
  const auto list = [](LineScanner rest) {
    std::vector<double> values;
    while (rest.word(",") && values.size() < kMostPoints) {
      const std::optional<double> value = rest.number();
      if (!value) break;
      values.push_back(*value);
    }
    return values;
  };
  if (line.word("Test:")) return run_.test_name = line.rest(), true;
  if (line.word("Small IO size:")) return run_.small_bytes = line.number_after("") * 1024, true;
  if (line.word("Large IO size:")) return run_.large_bytes = line.number_after("") * 1024, true;
  if (line.word("Write:") || line.word("Writes:"))
    return run_.write_percent = line.number_after(""), true;
  if (line.word("Duration for each Data Point:") || line.word("Duration for each data point:")) {
    return run_.duration_ns = line.number_after("") * 1e9, true;
  }
  if (line.word("Small Columns:")) return run_.small_ladder = list(line), true;
  if (line.word("Large Columns:")) return run_.large_ladder = list(line), true;
  if (line.word("Total Data Points:")) {
    return run_.total_points = static_cast<std::uint64_t>(line.number_after("")), true;
  }
  if (line.word("Name:")) {
    const std::string_view rest = line.rest();
    const std::size_t size_at = rest.rfind("Size:");
    if (size_at == std::string_view::npos) throw Error{"a LUN's name without its size"};
    LineScanner size{rest.substr(size_at)};
    run_.luns.push_back({std::string{trimmed(rest.substr(0, size_at))},
                         static_cast<std::uint64_t>(size.number_after("Size:"))});
    return true;
  }
  return false;
}

// "ran (small): my 1 oth 0 iops 121 size 8 K lat 8.25 ms bw = 0.95 MBps dur 59.99 s READ"
void Parser::take_ran(LineScanner line, bool small) {
  const double mine = line.number_after("my");
  const double others = line.number_after("oth");
  const Load load = small ? Load{mine, others} : Load{others, mine};
  LoadPoint* into = &point(load);
  const double iops = line.number_after("iops");
  if (small && into->iops > 0) {  // the same load once more: the ladder begins again
    finish_run();
    into = &point(load);
  }
  const bool speaks_for_point = small || load.small == 0;
  if (speaks_for_point) into->iops = iops, into->iops_error = line.rounding();
  const double bytes = line.number_after("size") * 1024;
  line.word("K");
  const double latency = line.number_after("lat");
  const double latency_rounding = line.rounding();
  const double unit = line.word("us") ? 1e3 : 1e6;
  line.word("ms");
  line.word("bw");
  into->bytes_per_second += line.number_after("=") * kMega;
  line.word("MBps");
  if (speaks_for_point) {
    into->request_bytes = bytes;
    into->latency_ns = latency * unit;
    into->latency_error_ns = latency_rounding * unit;
  }
  if (line.word("dur")) {
    into->duration_ns = line.number_after("") * 1e9;
    line.word("s");
  }
  if (line.word("WRITE")) into->write_fraction = 1;
}

bool Parser::take_summary(LineScanner line) {
  if (line.word("Maximum Large MBPS")) {
    const double rate = line.number_after("=") * kMega;
    point(scan_load(line)).bytes_per_second = rate;
    return true;
  }
  if (line.word("Maximum Small IOPS")) {
    const double rate = line.number_after("=");
    LoadPoint& best = point(scan_load(line));
    best.iops = rate;
    best.iops_error = 0.5;
    return true;
  }
  // Some builds call the least latency the "maximum"; it is the minimum all the same.
  if (line.word("Minimum Small Latency") || line.word("Maximum Small Latency")) {
    double latency = line.number_after("=");
    double rounding = line.rounding();
    const double unit = line.word("usecs") ? 1e3 : 1e6;
    LoadPoint& best = point(scan_load(line));
    if (best.latency_ns == 0) {
      best.latency_ns = latency * unit;
      best.latency_error_ns = rounding * unit;
    }
    return true;
  }
  if (line.word("Small Read Latency:")) return take_latency(line, false), true;
  if (line.word("Small Write Latency:")) return take_latency(line, true), true;
  return false;
}

// "avg=169.594 us, min=128.415 us, max=1924.721 us, std dev=13.566 us @ Small=10 and Large=0"
void Parser::take_latency(LineScanner line, bool writes) {
  OrionLatency latency;
  latency.writes = writes;
  double rounding = 0;
  const auto figure = [&](std::string_view label) {
    const double value = line.number_after(label);
    rounding = line.rounding();
    const double unit = line.word("us") ? 1e3 : 1e6;
    line.word("ms");
    line.word(",");
    return value * unit;
  };
  latency.mean_ns = figure("avg=");
  const double mean_error_ns = rounding * 1e3;
  latency.min_ns = figure("min=");
  latency.max_ns = figure("max=");
  latency.stddev_ns = figure("std dev=");
  const Load load = scan_load(line);
  latency.outstanding = load.small;
  latency.outstanding_large = load.large;
  run_.latencies.push_back(latency);
  LoadPoint& measured = point(load);
  if (measured.latency_ns > 0 || writes) return;
  measured.latency_ns = latency.mean_ns;
  measured.latency_error_ns = mean_error_ns;
}

// "       64 - 128        us:         1112243 ( 91.12%)              0 (  0.00%)"
bool Parser::take_histogram(LineScanner line) {
  OrionHistogramBucket bucket;
  const std::optional<double> low = line.number();
  if (!low || !line.word("-")) return false;
  const std::optional<double> high = line.number();
  if (!high || !line.word("us:")) return false;
  bucket.low_ns = *low * 1e3;
  bucket.high_ns = *high * 1e3;
  bucket.reads = static_cast<std::uint64_t>(line.number_after(""));
  if (line.word("(")) {
    line.number_after("");
    line.word("%)");
  }
  bucket.writes = static_cast<std::uint64_t>(line.number().value_or(0));
  run_.histogram.push_back(bucket);
  return true;
}

void Parser::take_table_header(LineScanner line) {
  columns_.clear();
  while (line.word(",")) {
    columns_.push_back(line.number_after(""));
    if (columns_.size() > kMostPoints) throw Error{"more than 100,000 columns"};
  }
  // A run of large I/Os alone leaves tables of small ones without a column.
  table_ = !columns_.empty() && columns_.front() == 0 ? Table::kMbps : Table::kIops;
}

void Parser::take_table_row(LineScanner line) {
  const double large = line.number_after("");
  std::vector<double> cells;
  std::vector<double> roundings;
  bool fractions = false;
  while (line.word(",")) {
    cells.push_back(line.number_after(""));
    roundings.push_back(line.rounding());
    fractions = fractions || line.rounding() < 0.5;
  }
  if (cells.size() > columns_.size()) throw Error{"more cells than the header has"};
  if (table_ == Table::kIops && fractions) table_ = Table::kLatency;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    LoadPoint& cell = point({columns_[i], large});
    switch (table_) {
      case Table::kMbps:
        cell.bytes_per_second = cells[i] * kMega;
        break;
      case Table::kLatency:
        cell.latency_ns = cells[i] * table_latency_unit_ns_;
        cell.latency_error_ns = roundings[i] * table_latency_unit_ns_;
        break;
      case Table::kIops:
      case Table::kNone:
        cell.iops = cells[i];
        cell.iops_error = roundings[i];
        break;
    }
  }
}

// iostat -xn: "r/s w/s Mr/s Mw/s wait actv wsvc_t asvc_t %w %b device". The mean number waiting and
// in service is the load; its response time follows by Little's law, finer than asvc_t's 0.1 ms.
void Parser::take_iostat(LineScanner line) {
  std::array<double, 10> figures{};
  for (double& figure : figures) {
    const std::optional<double> value = line.number();
    if (!value) return;
    figure = *value;
  }
  const bool device_follows =
      !line.rest().empty() && line.rest().find(' ') == std::string_view::npos;
  if (!device_follows || figures[0] + figures[1] == 0) return;
  if (run_.curve.points.size() >= kMostPoints) throw Error{"more than 100,000 samples"};
  LoadPoint& sample = run_.curve.points.emplace_back();
  sample.iops = figures[0] + figures[1];
  sample.iops_error = 0.1;
  sample.bytes_per_second = (figures[2] + figures[3]) * kMega;
  sample.outstanding = figures[4] + figures[5];
  sample.write_fraction = sample.iops > 0 ? figures[1] / sample.iops : 0;
  sample.request_bytes = sample.iops > 0 ? sample.bytes_per_second / sample.iops : 0;
}

}  // namespace

std::vector<OrionRun> parse_orion_results(std::string_view text, const std::string& name) {
  return Parser{name}.parse(text);
}

}  // namespace rigel
