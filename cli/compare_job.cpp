#include "cli/compare_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

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

// How long a job runs is no difference of workloads.
std::vector<Knob> knobs_between(const FioJob& a, const FioJob& b) {
  std::vector<Knob> knobs;
  for (const auto& [name, value] : a.settings) {
    const std::string other = setting_of(b, name);
    if (other != value && name != "runtime") knobs.push_back({name, value, other});
  }
  for (const auto& [name, value] : b.settings) {
    if (setting_of(a, name).empty()) knobs.push_back({name, "", value});
  }
  return knobs;
}

std::string or_default(const std::string& value) {
  return value.empty() ? "none" : value;
}

}  // namespace

void add_job(const ComparedTrace& a, const ComparedTrace& b, CompareOutcome& outcome) {
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
  for (const Knob& knob : knobs_between(*job, *other)) {
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
