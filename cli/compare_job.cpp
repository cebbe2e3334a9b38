#include "cli/compare_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/printable.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

// A setting that the jobs of both have, and not alike; "" where one has none.
struct Knob {
  std::string name;
  std::string a;
  std::string b;
};

std::string setting_of(const FioJob& job, const std::string& name) {
  const auto found = std::find_if(job.settings.begin(), job.settings.end(),
                                  [&](const auto& setting) { return setting.first == name; });
  return found == job.settings.end() ? std::string{} : found->second;
}

// The figures, by parts of their keys, that a setting moves.
struct SettingFigures {
  std::string_view setting;
  std::array<std::string_view, 4> figures;
};
constexpr std::array kSettings{
    SettingFigures{"rw", {"op_mix", "sequential"}},
    SettingFigures{"rwmixread", {"op_mix"}},
    SettingFigures{"bssplit", {"read_bytes", "write_bytes"}},
    SettingFigures{"blockalign", {"read_bytes", "write_bytes", "footprint_bytes", "reuse"}},
    SettingFigures{"size", {"footprint_bytes", "reuse", "hot_spots"}},
    SettingFigures{"random_distribution", {"footprint_bytes", "reuse", "hot_spots"}},
    SettingFigures{"percentage_random", {"sequential"}},
    SettingFigures{"thinktime", {"interarrival_ns", "arrivals_per_100ms"}},
    SettingFigures{"rate_iops", {"interarrival_ns", "arrivals_per_100ms", "op_mix"}},
    SettingFigures{"rate_process", {"interarrival_ns", "unevenness"}},
    SettingFigures{"iodepth", {"queue_depth"}},
};

// Others, as how long a job runs, are no difference of workloads.
bool moves_a_difference(const std::string& setting, const WorkloadComparison& comparison) {
  const auto known = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const auto& one) { return one.setting == setting; });
  if (known == kSettings.end()) return false;
  return std::any_of(
      comparison.differences.begin(), comparison.differences.end(), [&](const auto& difference) {
        return difference.significant &&
               std::any_of(known->figures.begin(), known->figures.end(), [&](const auto figure) {
                 return !figure.empty() && difference.key.find(figure) != std::string::npos;
               });
      });
}

std::vector<Knob> knobs_between(const FioJob& a, const FioJob& b,
                                const WorkloadComparison& comparison) {
  std::vector<Knob> knobs;
  for (const auto& [name, value] : a.settings) {
    const std::string other = setting_of(b, name);
    if (other != value) knobs.push_back({name, value, other});
  }
  for (const auto& [name, value] : b.settings) {
    if (setting_of(a, name).empty()) knobs.push_back({name, "", value});
  }
  std::erase_if(knobs,
                [&](const Knob& knob) { return !moves_a_difference(knob.name, comparison); });
  return knobs;
}

std::string or_default(const std::string& value) {
  return value.empty() ? "none" : value;
}

}  // namespace

void add_job(const ComparedTrace& a, const ComparedTrace& b, const WorkloadComparison& comparison,
             CompareOutcome& outcome) {
  const std::optional<FioJob> job = fio_job_of(a.profile);
  if (!job) return;
  Json settings = Json::object();
  for (const auto& [name, value] : job->settings) settings[name] = value;
  outcome.json["fio"] = {{"settings", settings}, {"notes", job->notes}};
  outcome.json["knobs"] = Json::array();
  outcome.json["orion"] = nullptr;
  outcome.text += fmt::format("\nThe fio job that comes closest to A:\n\n{}",
                              fio_job_text(*job, printable(a.name)));
  if (const std::optional<std::string> orion = orion_options_of(a.profile)) {
    outcome.json["orion"] = *orion;
    outcome.text += fmt::format("\nORION comes close as well: rigel orion {}\n", *orion);
  }
  const std::optional<FioJob> other = fio_job_of(b.profile);
  if (!other) return;
  std::string turns;
  for (const Knob& knob : knobs_between(*job, *other, comparison)) {
    outcome.json["knobs"].push_back({{"name", knob.name}, {"a", knob.a}, {"b", knob.b}});
    turns +=
        fmt::format("  {}: from {} to {}\n", knob.name, or_default(knob.b), or_default(knob.a));
  }
  if (!turns.empty()) outcome.text += "\nWhat of B to turn, in fio's words:\n" + turns;
}

void write_job(const ComparedTrace& trace, const std::string& path) {
  const std::optional<FioJob> job = fio_job_of(trace.profile);
  if (!job) throw Error{trace.name + ": without reads and writes there is no job"};
  const std::string text = fio_job_text(*job, printable(trace.name));
  const auto sink = create_file(path);
  sink->write(std::as_bytes(std::span{text}));
  sink->close();
}

}  // namespace rigel
