#include "cli/report_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/summary_report.hpp"
#include "cli/trace_doubts.hpp"
#include "model/compare/measured_result.hpp"
#include "report/result_kind.hpp"
#include "traces/decompress.hpp"
#include "traces/error.hpp"
#include "traces/importer.hpp"
#include "traces/load_curve.hpp"
#include "traces/peekable_source.hpp"
#include "traces/result_json.hpp"
#include "traces/text_file.hpp"
#include "traces/trace_summary.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

constexpr std::size_t kHeadBytes = 64 * 1024;
// What a chart of a few hundred pixels can show.
constexpr SummaryOptions kSummary{.heat_map_rows = 64, .heat_map_columns = 128};

enum class Content { kRecording, kResult, kCurve };

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The file is opened once to look at it, and again to read it.
Content content_of(const std::string& path, const TraceInput& traces) {
  if (std::error_code none; std::filesystem::is_fifo(path, none) ||
                            std::filesystem::is_character_file(path, none) ||
                            std::filesystem::is_socket(path, none)) {
    throw Error{fmt::format("{}: no file that can be read more than once", path)};
  }
  PeekableSource file{decompress(open_file(path))};
  const auto head = file.peek(kHeadBytes);
  if (head.empty()) throw Error{fmt::format("{}: the file is empty", path)};
  const SniffInput sniff{head, std::string_view{path}.substr(path.rfind('/') + 1)};
  const auto all = importers();
  const bool known =
      std::any_of(all.begin(), all.end(), [&](const Importer& one) { return one.sniff(sniff); });
  if (known) return Content::kRecording;
  // Recordings in JSON are known above; what else is an object is a result, or nothing.
  const std::string_view text{reinterpret_cast<const char*>(head.data()), head.size()};
  if (trimmed(text).starts_with('{')) return Content::kResult;
  return traces.names_format() ? Content::kRecording : Content::kCurve;
}

Json curve_json(const std::vector<LoadPoint>& points) {
  Json list = Json::array();
  for (const LoadPoint& point : points) list.push_back(to_json(point));
  return {{"schema", 1}, {"points", std::move(list)}};
}

Json read_result(const std::string& path) {
  const std::string text = read_text(*decompress(open_file(path)));
  if (text.find("\"fio version\"") != std::string::npos) {
    if (const auto fio = parse_result_json(text, path)) {
      return curve_json({fio->loads.front().point});
    }
  }
  Json result = parse_rigel_json(text, path);
  if (!result_kind(result)) {
    throw Error{fmt::format("{}: a result that no report shows (see rigel-report(1))", path)};
  }
  return result;
}

Json read_curve(const Strings& paths) {
  LoadCurve curve;
  try {
    curve = read_load_curve(paths);
  } catch (const Error& error) {
    throw Error{
        fmt::format("{} (and it is no recording, nor a result of rigel's --json)", error.what())};
  }
  return curve_json(curve.points);
}

Json read_recording(const Strings& paths, const TraceInput& traces) {
  const auto source = traces.open(paths);
  const TraceSummary summary = summarize(*source, kSummary);
  report_doubts(summary.tables);
  return summary_json(summary);
}

// ORION's tables of one run differ in this part of their names: what is left names the run.
std::string orion_run_of(const std::string& path) {
  if (!path.ends_with(".csv")) return path;
  const std::size_t name = path.rfind('/') + 1;
  for (const std::string_view table : {"iops", "lat", "mbps"}) {
    const std::size_t at = path.rfind(table);
    if (at != std::string::npos && at >= name) {
      return path.substr(0, at) + '*' + path.substr(at + table.size());
    }
  }
  return path;
}

// Base names, or the paths where two are alike.
std::string name_of(const Strings& paths, const std::map<std::string, int>& base_names) {
  Strings names;
  for (const std::string& path : paths) {
    const std::string base = base_name(path);
    names.push_back(base_names.at(base) > 1 ? path : base);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<ReportInput> read_report_inputs(const Strings& paths, const TraceInput& traces) {
  std::map<std::string, int> base_names;
  for (const std::string& path : paths) ++base_names[base_name(path)];
  // Files that are one: parts of a recording, tables of a run.
  std::vector<std::pair<Content, Strings>> groups;
  std::map<std::string, std::size_t> runs;
  for (Strings& recording : recordings_among(paths)) {
    const Content content =
        recording.size() > 1 ? Content::kRecording : content_of(recording.front(), traces);
    if (content == Content::kCurve) {
      const auto [run, added] = runs.try_emplace(orion_run_of(recording.front()), groups.size());
      if (!added) {
        groups[run->second].second.push_back(recording.front());
        continue;
      }
    }
    groups.emplace_back(content, std::move(recording));
  }
  std::vector<ReportInput> inputs;
  for (const auto& [content, files] : groups) {
    Json result = content == Content::kRecording ? read_recording(files, traces)
                  : content == Content::kResult  ? read_result(files.front())
                                                 : read_curve(files);
    inputs.push_back({name_of(files, base_names), std::move(result)});
  }
  return inputs;
}

}  // namespace rigel
