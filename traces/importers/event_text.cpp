#include "traces/importers/event_text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace rigel {

bool parse_device_number(std::string_view text, std::uint32_t& major, std::uint32_t& minor) {
  const char* const end = text.data() + text.size();
  const auto [comma, first] = std::from_chars(text.data(), end, major);
  if (first != std::errc{} || comma == end || *comma != ',') return false;
  const auto [rest, second] = std::from_chars(comma + 1, end, minor);
  return second == std::errc{} && rest == end;
}

ColumnSet EventTextParser::columns() const {
  ColumnSet set{Column::kDevice, Column::kOffset, Column::kLength, Column::kOp,
                Column::kFlags,  Column::kStream, Column::kCpu};
  set = set | matcher_.time_columns();
  if (set.has(Column::kComplete)) set.add(Column::kStatus);
  return set;
}

void EventTextParser::add(BlockEvent event, std::string_view device, std::string_view comm,
                          std::uint32_t pid, LineOutput& out) {
  if (base_ns_ == kNoTime) {
    base_ns_ = event.time_ns;
    if (base_ns_ != 0) out.tables.meta.extra["first_time_ns"] = std::to_string(base_ns_);
  }
  event.time_ns -= base_ns_;
  const std::size_t known = out.tables.devices.size();
  event.device = devices_.index(device, out.tables);
  if (out.tables.devices.size() != known) {
    DeviceInfo& info = out.tables.devices.back();
    if (!parse_device_number(device, info.major, info.minor)) info.major = info.minor = 0;
  }
  // The task of a completion is whoever was interrupted by it.
  if (event.kind != BlockEvent::Kind::kComplete && event.kind != BlockEvent::Kind::kBioComplete) {
    event.stream = streams_.index(comm, pid, pid, out.tables);
  }
  matcher_.add(event);
  hand_on(out);
}

void EventTextParser::hand_on(LineOutput& out) {
  IoRecord record;
  while (matcher_.take(record)) out.add(record);
}

void EventTextParser::finish(LineOutput& out) {
  matcher_.finish();
  hand_on(out);
  if (matcher_.without_completion() != 0 || matcher_.without_start() != 0) {
    out.tables.warnings.push_back(
        fmt::format("{} I/Os have no completion and {} completions no "
                    "start: cut short by the recording's begin and end",
                    matcher_.without_completion(), matcher_.without_start()));
  }
}

}  // namespace rigel
