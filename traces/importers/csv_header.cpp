#include "traces/importers/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rigel {
namespace {

// What a column can measure, which decides the units that it can have.
enum class Measure : std::uint8_t { kNone, kTime, kBytes, kSectors };

struct ColumnName {
  std::string_view name;
  Field kind;
  Measure measure = Measure::kNone;
};

// Lower case, with everything that is no letter or digit as '_', and the unit taken off.
constexpr std::array kColumnNames{
    ColumnName{"queue", Field::kQueue, Measure::kTime},
    ColumnName{"time", Field::kQueue, Measure::kTime},
    ColumnName{"timestamp", Field::kQueue, Measure::kTime},
    ColumnName{"ts", Field::kQueue, Measure::kTime},
    ColumnName{"arrival", Field::kQueue, Measure::kTime},
    ColumnName{"arrival_time", Field::kQueue, Measure::kTime},
    ColumnName{"start", Field::kQueue, Measure::kTime},
    ColumnName{"start_time", Field::kQueue, Measure::kTime},
    ColumnName{"submit", Field::kQueue, Measure::kTime},
    ColumnName{"submit_time", Field::kQueue, Measure::kTime},
    ColumnName{"issue", Field::kIssue, Measure::kTime},
    ColumnName{"issue_time", Field::kIssue, Measure::kTime},
    ColumnName{"complete", Field::kComplete, Measure::kTime},
    ColumnName{"completion", Field::kComplete, Measure::kTime},
    ColumnName{"complete_time", Field::kComplete, Measure::kTime},
    ColumnName{"completion_time", Field::kComplete, Measure::kTime},
    ColumnName{"end", Field::kComplete, Measure::kTime},
    ColumnName{"end_time", Field::kComplete, Measure::kTime},
    ColumnName{"latency", Field::kLatency, Measure::kTime},
    ColumnName{"lat", Field::kLatency, Measure::kTime},
    ColumnName{"response", Field::kLatency, Measure::kTime},
    ColumnName{"response_time", Field::kLatency, Measure::kTime},
    ColumnName{"duration", Field::kLatency, Measure::kTime},
    ColumnName{"elapsed", Field::kLatency, Measure::kTime},
    ColumnName{"offset", Field::kOffset, Measure::kBytes},
    ColumnName{"byte_offset", Field::kOffset, Measure::kBytes},
    ColumnName{"address", Field::kOffset, Measure::kBytes},
    ColumnName{"lba", Field::kOffset, Measure::kSectors},
    ColumnName{"lbn", Field::kOffset, Measure::kSectors},
    ColumnName{"sector", Field::kOffset, Measure::kSectors},
    ColumnName{"start_sector", Field::kOffset, Measure::kSectors},
    ColumnName{"size", Field::kLength, Measure::kBytes},
    ColumnName{"length", Field::kLength, Measure::kBytes},
    ColumnName{"len", Field::kLength, Measure::kBytes},
    ColumnName{"io_size", Field::kLength, Measure::kBytes},
    ColumnName{"request_size", Field::kLength, Measure::kBytes},
    ColumnName{"bytes", Field::kLength, Measure::kNone},
    ColumnName{"nbytes", Field::kLength, Measure::kNone},
    ColumnName{"sectors", Field::kLength, Measure::kSectors},
    ColumnName{"nsectors", Field::kLength, Measure::kSectors},
    ColumnName{"nr_sectors", Field::kLength, Measure::kSectors},
    ColumnName{"num_sectors", Field::kLength, Measure::kSectors},
    ColumnName{"sector_count", Field::kLength, Measure::kSectors},
    ColumnName{"op", Field::kOp},
    ColumnName{"opcode", Field::kOp},
    ColumnName{"operation", Field::kOp},
    ColumnName{"type", Field::kOp},
    ColumnName{"io_type", Field::kOp},
    ColumnName{"rw", Field::kOp},
    ColumnName{"r_w", Field::kOp},
    ColumnName{"direction", Field::kOp},
    ColumnName{"is_read", Field::kOp},
    ColumnName{"is_write", Field::kOp},
    ColumnName{"device", Field::kDevice},
    ColumnName{"device_id", Field::kDevice},
    ColumnName{"dev", Field::kDevice},
    ColumnName{"disk", Field::kDevice},
    ColumnName{"volume", Field::kDevice},
    ColumnName{"volume_id", Field::kDevice},
    ColumnName{"lun", Field::kDevice},
    ColumnName{"comm", Field::kComm},
    ColumnName{"command", Field::kComm},
    ColumnName{"process", Field::kComm},
    ColumnName{"pid", Field::kPid},
    ColumnName{"tid", Field::kTid},
    ColumnName{"cpu", Field::kCpu},
    ColumnName{"status", Field::kStatus},
    ColumnName{"errno", Field::kStatus},
    ColumnName{"error", Field::kStatus},
    ColumnName{"flags", Field::kFlags},
    ColumnName{"stream", Field::kStream},
};

struct Unit {
  std::string_view name;
  bool of_time;
  std::int64_t size;  // in ns or bytes
};
constexpr std::array kUnits{
    Unit{"ns", true, 1},
    Unit{"nsec", true, 1},
    Unit{"nanoseconds", true, 1},
    Unit{"us", true, kNsPerUs},
    Unit{"usec", true, kNsPerUs},
    Unit{"microseconds", true, kNsPerUs},
    Unit{"ms", true, kNsPerMs},
    Unit{"msec", true, kNsPerMs},
    Unit{"milliseconds", true, kNsPerMs},
    Unit{"s", true, kNsPerSecond},
    Unit{"sec", true, kNsPerSecond},
    Unit{"secs", true, kNsPerSecond},
    Unit{"seconds", true, kNsPerSecond},
    Unit{"b", false, 1},
    Unit{"byte", false, 1},
    Unit{"bytes", false, 1},
    Unit{"kb", false, 1024},
    Unit{"kib", false, 1024},
    Unit{"sectors", false, 512},
    Unit{"sector", false, 512},
};

const Unit* unit_named(std::string_view name, bool of_time) {
  const auto* found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) {
    return unit.name == name && unit.of_time == of_time;
  });
  return found == kUnits.end() ? nullptr : found;
}

const ColumnName* column_named(std::string_view name) {
  const auto* found = std::find_if(kColumnNames.begin(), kColumnNames.end(),
                                   [&](const ColumnName& column) { return column.name == name; });
  return found == kColumnNames.end() ? nullptr : found;
}

// "Time (us)" -> "time_us"
std::string normalised(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

struct Named {
  const ColumnName* column = nullptr;
  std::string_view unit;  // empty: the name says none
};

Named look_up(std::string_view name) {
  if (const ColumnName* column = column_named(name)) return {column, {}};
  const std::size_t cut = name.rfind('_');
  if (cut == std::string_view::npos) return {};
  const ColumnName* column = column_named(name.substr(0, cut));
  if (column == nullptr || column->measure == Measure::kNone) return {};
  const std::string_view unit = name.substr(cut + 1);
  if (unit_named(unit, column->measure == Measure::kTime) == nullptr) return {};
  return {column, unit};
}

// The unit of a column, from its name or else from what stands in for it.
std::int64_t unit_of(const Named& named, const std::string& title, const OpenOptions& options,
                     CsvHeader& header) {
  const Measure measure = named.column->measure;
  if (measure == Measure::kNone) return 1;
  if (!named.unit.empty()) return unit_named(named.unit, measure == Measure::kTime)->size;
  if (measure == Measure::kSectors) return kSectorBytes;
  if (measure == Measure::kBytes) {
    header.doubts.push_back(fmt::format("'{}' names no unit: taken as bytes", title));
    return 1;
  }
  if (options.time_unit) return time_unit_ns(*options.time_unit);
  if (header.refusal.empty()) {
    header.refusal = fmt::format(
        "the header does not say in which unit '{}' is: say --time-unit ns, us, ms or s", title);
  }
  return 1;
}

char separator_of(std::string_view line) {
  char best = ',';
  for (const char c : {';', '\t'}) {
    if (std::count(line.begin(), line.end(), c) > std::count(line.begin(), line.end(), best)) {
      best = c;
    }
  }
  return best;
}

}  // namespace

bool unquote_cells(std::string_view line, char separator, std::string& unquoted) {
  unquoted.clear();
  bool inside = false;
  for (const char c : line) {
    if (c == '"') {
      inside = !inside;
      continue;
    }
    if (inside && c == separator) return false;
    unquoted += c;
  }
  return !inside;
}

bool is_own_header(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(','));
  return look_up(name).column != nullptr && normalised(name) == name;
}

CsvHeader parse_csv_header(std::string_view line, const OpenOptions& options, bool own) {
  CsvHeader header;
  header.layout.separator = separator_of(line);
  header.layout.clock = own ? LineLayout::Clock::kTraceStart : LineLayout::Clock::kUnixOrStart;
  header.layout.source_name = "CSV";
  std::string unquoted;
  if (!unquote_cells(line, header.layout.separator, unquoted)) {
    header.refusal = "a column's name holds the separator";
    return header;
  }
  std::uint32_t seen = 0;
  TextFields titles{unquoted, header.layout.separator};
  do {
    const std::string title{titles.text("column name")};
    const std::string name = normalised(title);
    const Named named = look_up(name);
    FieldLayout field{title, Field::kIgnored, 1};
    const bool known =
        named.column != nullptr &&
        (own || (named.column->kind != Field::kStream && named.column->kind != Field::kFlags));
    const std::uint32_t bit = known ? 1U << static_cast<unsigned>(named.column->kind) : 0;
    if (known && (seen & bit) == 0) {
      seen |= bit;
      field.kind = named.column->kind;
      field.unit = unit_of(named, title, options, header);
      if (own && field.kind == Field::kDevice) field.kind = Field::kDeviceIndex;
      if (name == "is_read") header.layout.read_number = 1;
      if (name == "is_write") header.layout.read_number = 0;
    } else {
      header.ignored += fmt::format("{}{}", header.ignored.empty() ? "" : ", ", title);
    }
    header.layout.fields.push_back(std::move(field));
  } while (titles.ok() && !titles.at_end());
  const bool has_offset = (seen & (1U << static_cast<unsigned>(Field::kOffset))) != 0;
  if (!own && !has_offset && header.refusal.empty()) {
    header.refusal = "no column of the header is an offset, LBA or sector";
  }
  return header;
}

}  // namespace rigel
