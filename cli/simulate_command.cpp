// rigel simulate: what an array would give under a workload, I/O by I/O or by queueing theory.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/result_chart.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_input.hpp"
#include "model/array/analytic.hpp"
#include "model/array/array_config.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"
#include "traces/load_curve.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr char kText[] =
    "Sends a workload to a simulated array and says what it gives: IOPS, latency, hit ratio, how\n"
    "busy each part is and which one is the bottleneck, for each number of outstanding I/Os.\n"
    "WORK is a trace, or one of the patterns uniform, zipf, zipf:EXPONENT, sequential.\n"
    "A trace without --outstanding keeps its own arrival times.";

// A load and what came of it, by whichever method.
struct Row {
  LoadPoint point;
  std::optional<LatencyHistogram> latency;  // simulated only
  std::vector<PartUse> parts;
  std::string bottleneck;
};

class SimulateCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override;
  int run() override;

 private:
  void simulate_pattern();
  void simulate_trace();
  void solve();
  [[nodiscard]] double cache_hit_ratio() const;
  void add(const LoadResult& result);
  void print_table() const;
  [[nodiscard]] nlohmann::ordered_json to_json() const;

  std::string work_;
  std::string array_name_;
  ArrayConfig array_;
  TraceInput input_;
  ResultChart chart_;
  PatternOptions pattern_;
  bool is_pattern_ = false;
  std::vector<unsigned> ladder_;
  std::uint64_t ios_ = 100'000;
  double speed_ = 1;
  bool cold_ = false;
  bool analytic_ = false;
  bool json_ = false;
  bool csv_ = false;
  std::vector<Row> rows_;
};

std::vector<unsigned> parse_ladder(const std::string& text) {
  std::vector<unsigned> ladder;
  for (const std::string& part : comma_parts(text)) {
    const bool digits = !part.empty() && part.size() <= 5 &&
                        part.find_first_not_of("0123456789") == std::string::npos;
    const unsigned long value = digits ? std::stoul(part) : 0;
    if (value < 1 || value > 65535) {
      throw UsageError{
          fmt::format("--outstanding '{}': numbers from 1 to 65535 are wanted, e.g. 1,8,32", text)};
    }
    if (std::find(ladder.begin(), ladder.end(), value) != ladder.end()) {
      throw UsageError{fmt::format("--outstanding '{}' names {} twice", text, value)};
    }
    ladder.push_back(static_cast<unsigned>(value));
  }
  return ladder;
}

void SimulateCommand::setup(const std::vector<std::string>& arguments) {
  CommandOptions options{"simulate", "WORK --array FILE.ini|NAME [OPTIONS]", kText};
  options.add()("array,a", po::value<std::string>(&array_name_),
                "the array: a file, or a name of 'rigel array list'")(
      "outstanding,n", po::value<std::string>(),
      "numbers of outstanding I/Os, e.g. 1,8,32 (default for patterns: 1, 2, 4, … to 5 a disk)")(
      "span", po::value<SizeArg>(), "patterns: bytes addressed (default: all the array holds)")(
      "size", po::value<SizeArg>(), "patterns: bytes of an I/O (default 8k)")(
      "writes", po::value<NumberArg>(), "patterns: percentage of writes (default 0)")(
      "ios", po::value<CountArg>(), "I/Os measured at each load (default 100000)")(
      "seed", po::value<CountArg>(), "of the random numbers (default 1)")(
      "cold", "patterns: begin with an empty cache, not with a full one")(
      "speed", po::value<NumberArg>(), "traces: arrive this many times as fast")(
      "analytic", "queueing theory in place of simulation: reads, no percentiles")(
      "json", "one JSON object")("csv", "a load curve that 'rigel explain' and 'fit' read");
  chart_.add_options(options);
  input_.add_options(options);
  options.positional("work", 1);
  const po::variables_map values = options.parse(arguments);
  input_.set(values);
  if (values.count("work") == 0) throw UsageError{"simulate needs WORK: a trace or a pattern"};
  if (array_name_.empty()) throw UsageError{"simulate needs --array FILE.ini|NAME"};
  work_ = values["work"].as<std::vector<std::string>>().front();
  is_pattern_ = parse_pattern(work_, pattern_);
  chart_.set(values, {work_, array_name_});
  if (values.count("outstanding") != 0)
    ladder_ = parse_ladder(values["outstanding"].as<std::string>());
  if (values.count("span") != 0) {
    pattern_.span_bytes = values["span"].as<SizeArg>().bytes;
    if (pattern_.span_bytes == 0) throw UsageError{"--span: more than 0 is wanted"};
  }
  if (values.count("size") != 0) {
    const std::uint64_t bytes = values["size"].as<SizeArg>().bytes;
    if (bytes < 512 || bytes > 1U << 26) throw UsageError{"--size: from 512 to 64M is wanted"};
    pattern_.io_bytes = static_cast<std::uint32_t>(bytes);
  }
  if (values.count("writes") != 0) {
    const double percent = values["writes"].as<NumberArg>().value;
    if (!(percent >= 0 && percent <= 100)) throw UsageError{"--writes: from 0 to 100 is wanted"};
    pattern_.write_fraction = percent / 100;
  }
  ios_ = count_of(values, "ios", 1, 10'000'000'000, ios_);
  pattern_.seed =
      count_of(values, "seed", 0, std::numeric_limits<std::uint64_t>::max(), pattern_.seed);
  if (values.count("speed") != 0) speed_ = values["speed"].as<NumberArg>().value;
  if (!(speed_ > 0)) throw UsageError{"--speed: more than 0 is wanted"};
  cold_ = values.count("cold") != 0;
  analytic_ = values.count("analytic") != 0;
  json_ = values.count("json") != 0;
  csv_ = values.count("csv") != 0;
  if (json_ && csv_) throw UsageError{"--json and --csv exclude each other"};
  if (analytic_ && !is_pattern_ && ladder_.empty()) {
    throw UsageError{"--analytic answers for a number of outstanding I/Os: give --outstanding"};
  }
  if (analytic_ && pattern_.write_fraction > 0) {
    throw UsageError{"--analytic answers for reads only; leave out --writes, or simulate"};
  }
}

int SimulateCommand::run() {
  array_ = load_array_config(array_name_);
  if (pattern_.span_bytes == 0) {
    pattern_.span_bytes = usable_bytes(array_);
  }
  if (is_pattern_ && ladder_.empty()) {
    const unsigned most = 5 * array_.disks.count * array_.disks.units;
    for (unsigned n = 1; n < most; n *= 2) ladder_.push_back(n);
    ladder_.push_back(most);
  }
  static_cast<void>(stop_flag());
  if (analytic_) {
    solve();
  } else if (is_pattern_) {
    simulate_pattern();
  } else {
    simulate_trace();
  }
  if (json_) {
    fmt::print("{}\n", to_json().dump(2));
  } else if (csv_) {
    LoadCurve curve;
    for (const Row& row : rows_) curve.points.push_back(row.point);
    fmt::print("{}", to_csv(curve));
  } else {
    print_table();
  }
  if (chart_.wanted()) chart_.show(to_json());
  return stop_exit_code();
}

void SimulateCommand::add(const LoadResult& result) {
  Row row;
  row.point.outstanding = result.outstanding;
  row.point.iops = result.iops;
  row.point.bytes_per_second = result.bytes_per_second;
  row.point.latency_ns = result.latency.mean_ns();
  row.point.hit_ratio = result.hit_ratio;
  row.point.duration_ns = static_cast<double>(result.duration_ns);
  row.latency = result.latency;
  row.parts = result.parts;
  row.bottleneck = result.bottleneck().part;
  rows_.push_back(std::move(row));
}

void SimulateCommand::simulate_pattern() {
  AccessPattern pattern{pattern_};
  ArraySimulator array{array_, pattern_.seed};
  // Eight times what there is to hold leaves out e^-8 of it.
  const std::uint64_t most =
      8 * std::min<std::uint64_t>(array.cache().capacity(), pattern.blocks());
  if (!cold_) warm_up(array, pattern, most);
  std::int64_t now_ns = 0;
  for (const unsigned n : ladder_) {
    if (stop_flag()) return;
    add(run_closed(
        array, [&]() -> std::optional<ArrayIo> { return pattern.next(); },
        {.outstanding = n, .ios = ios_, .warm_up_ios = 20ULL * n}, now_ns));
  }
}

void SimulateCommand::simulate_trace() {
  if (ladder_.empty()) {
    const auto source = input_.open({work_});
    ArraySimulator array{array_, pattern_.seed};
    add(run_open(array, *source, {.speed = speed_, .go_on = [] { return !stop_flag(); }}));
    report_doubts(source->tables());
    return;
  }
  for (const unsigned n : ladder_) {
    if (stop_flag()) return;
    const auto source = input_.open({work_});
    ArraySimulator array{array_, pattern_.seed};
    std::int64_t now_ns = 0;
    add(run_closed(array, trace_ios(*source, array_),
                   {.outstanding = n, .ios = ios_, .warm_up_ios = 0}, now_ns));
    if (n == ladder_.back()) report_doubts(source->tables());
  }
}

// Of the workload in the cache alone.
double SimulateCommand::cache_hit_ratio() const {
  if (is_pattern_ && pattern_.kind == PatternKind::kUniform) {
    return uniform_hit_ratio(static_cast<double>(array_.cache.bytes),
                             static_cast<double>(pattern_.span_bytes));
  }
  ArraySimulator array{array_, pattern_.seed};
  if (is_pattern_) {
    AccessPattern pattern{pattern_};
    warm_up(array, pattern,
            8 * std::min<std::uint64_t>(array.cache().capacity(), pattern.blocks()));
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < ios_; ++i) hits += array.warm(pattern.next()) ? 1 : 0;
    return static_cast<double>(hits) / static_cast<double>(ios_);
  }
  const auto source = input_.open({work_});
  const NextIo next = trace_ios(*source, array_);
  std::uint64_t hits = 0;
  std::uint64_t reads = 0;
  while (const std::optional<ArrayIo> io = next()) {
    if (io->write) throw UsageError{work_ + ": has writes; --analytic answers for reads only"};
    hits += array.warm(*io) ? 1 : 0;
    ++reads;
  }
  return reads > 0 ? static_cast<double>(hits) / static_cast<double>(reads) : 0;
}

void SimulateCommand::solve() {
  const double hit_ratio = cache_hit_ratio();
  const std::vector<Station> stations =
      stations_of(array_, {.hit_ratio = hit_ratio, .io_bytes = pattern_.io_bytes});
  const auto solved = solve_closed(stations, *std::max_element(ladder_.begin(), ladder_.end()));
  for (const unsigned n : ladder_) {
    const NetworkResult& result = solved[n - 1];
    Row row;
    row.point.outstanding = n;
    row.point.iops = result.throughput;
    row.point.bytes_per_second = result.throughput * pattern_.io_bytes;
    row.point.latency_ns = result.response_s * 1e9;
    row.point.hit_ratio = hit_ratio;
    for (std::size_t k = 1; k < stations.size(); ++k) {
      const double use = result.stations[k].utilisation;
      row.parts.push_back({stations[k].name, use, use});
    }
    LoadResult named;
    named.parts = row.parts;
    row.bottleneck = named.bottleneck().part;
    rows_.push_back(std::move(row));
  }
}

void SimulateCommand::print_table() const {
  fmt::print("{}: {}", array_.name, work_);
  if (is_pattern_) {
    fmt::print(", {} over {}", format_bytes(pattern_.io_bytes), format_bytes(pattern_.span_bytes));
  }
  fmt::print(", cache {}, {} disks{}\n\n", format_bytes(array_.cache.bytes), array_.disks.count,
             analytic_ ? ", by mean-value analysis" : "");
  fmt::print("{:>11} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6}  {}\n",
             "outstanding", "IOPS", "MiB/s", "mean", "p50", "p99", "p99.9", "hits", "in", "out",
             "cores", "disks", "bottleneck");
  const auto percent = [](double ratio) { return fmt::format("{:.1f}%", 100 * ratio); };
  for (const Row& row : rows_) {
    const auto quantile = [&](double q) {
      return row.latency ? format_duration(row.latency->quantile_ns(q)) : std::string{"-"};
    };
    fmt::print(
        "{:>11} {:>9.0f} {:>8.2f} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>6} {:>6} {:>6}  {}\n",
        fmt::format("{:.4g}", row.point.outstanding), row.point.iops,
        row.point.bytes_per_second / (1024 * 1024),
        format_duration(static_cast<std::int64_t>(row.point.latency_ns)), quantile(0.5),
        quantile(0.99), quantile(0.999), percent(*row.point.hit_ratio),
        percent(row.parts[0].utilisation), percent(row.parts[1].utilisation),
        percent(row.parts[2].utilisation), percent(row.parts[3].utilisation), row.bottleneck);
  }
}

nlohmann::ordered_json SimulateCommand::to_json() const {
  nlohmann::ordered_json object{{"schema", 1},
                                {"array", array_.name},
                                {"work", work_},
                                {"method", analytic_ ? "mean-value analysis" : "simulation"},
                                {"points", nlohmann::ordered_json::array()}};
  for (const Row& row : rows_) {
    nlohmann::ordered_json point = rigel::to_json(row.point);
    if (row.latency) {
      point["latency_distribution_ns"] = {
          {"p50", row.latency->quantile_ns(0.5)},      {"p90", row.latency->quantile_ns(0.9)},
          {"p99", row.latency->quantile_ns(0.99)},     {"p999", row.latency->quantile_ns(0.999)},
          {"p9999", row.latency->quantile_ns(0.9999)}, {"max", row.latency->max_ns()}};
    }
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const PartUse& part : row.parts) {
      parts.push_back(
          {{"name", part.part}, {"utilisation", part.utilisation}, {"busiest", part.busiest}});
    }
    point["parts"] = std::move(parts);
    point["bottleneck"] = row.bottleneck;
    object["points"].push_back(std::move(point));
  }
  return object;
}

}  // namespace

std::unique_ptr<Command> make_simulate_command() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace rigel
