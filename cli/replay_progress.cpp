#include "cli/replay_progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "replay/device_names.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

double per(std::uint64_t sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// The fields of one line, in order; a mean of nothing is null.
Json line_of(const ActivitySample& sample, const std::string& target, const ActivityCounts& io) {
  const auto interval = static_cast<std::uint64_t>(sample.to_ns - sample.from_ns);
  const auto mean = [](std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? Json{} : Json(sum / count);
  };
  return {{"from_ns", sample.from_ns},
          {"to_ns", sample.to_ns},
          {"target", target},
          {"issued", io.issued},
          {"reads", io.reads},
          {"writes", io.writes},
          {"others", io.others},
          {"read_bytes", io.read_bytes},
          {"write_bytes", io.write_bytes},
          {"errors", io.errors},
          {"read_service_time_ns", mean(io.read_service_ns, io.reads)},
          {"write_service_time_ns", mean(io.write_service_ns, io.writes + io.others)},
          {"wait_time_ns", mean(io.wait_sum_ns, io.issued)},
          {"wait_max_ns", io.worst_slip_ns},
          {"waiting", per(io.wait_sum_ns, interval)},
          {"outstanding", per(io.run_sum_ns, interval)},
          {"recorded_outstanding",
           io.recorded_service_ns == 0 ? Json{} : Json(per(io.recorded_service_ns, interval))},
          {"busy", per(io.run_busy_ns, interval)},
          {"in_flight", io.in_flight}};
}

// A CSV field (RFC 4180).
std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + "\"";
}

std::string csv_line(const Json& line, bool names) {
  std::string text;
  for (const auto& [name, value] : line.items()) {
    if (!text.empty()) text += ',';
    text += names ? name : csv_field(value);
  }
  return text + "\n";
}

}  // namespace

std::vector<IostatRow> device_rows(std::span<const Target> targets) {
  std::vector<IostatRow> rows;
  for (const Target& target : targets) {
    const DeviceNames names = names_of(target);
    rows.push_back({names.name, names.controller, {}});
  }
  return rows;
}

ReplayProgress::ReplayProgress(std::span<const Target> targets, const std::string& series_path,
                               bool live, IostatStyle style)
    : rows_(device_rows(targets)), live_(live), style_(style) {
  for (const Target& target : targets) paths_.push_back(target.path());
  if (series_path.empty()) return;
  as_csv_ = series_path.size() >= 4 && series_path.substr(series_path.size() - 4) == ".csv";
  series_ = create_file(series_path);
  if (!as_csv_) return;
  const std::string heading = csv_line(line_of({0, 1, {}}, "", {}), true);
  series_->write(std::as_bytes(std::span{heading}));
}

void ReplayProgress::add(const ActivitySample& sample) noexcept {
  try {
    if (series_ && failure_.empty()) write_series(sample);
    if (!live_) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].counts = sample.targets[i];
    fmt::print(stderr, "{}", iostat_table(style_, rows_, sample.to_ns - sample.from_ns));
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

void ReplayProgress::write_series(const ActivitySample& sample) {
  std::string text;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const Json line = line_of(sample, paths_[i], sample.targets[i]);
    text += as_csv_ ? csv_line(line, false) : line.dump() + "\n";
  }
  series_->write(std::as_bytes(std::span{text}));
}

void ReplayProgress::finish() {
  if (!failure_.empty()) throw Error{failure_};
  if (series_) series_->close();
}

}  // namespace rigel
