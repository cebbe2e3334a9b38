// Base of the parsers whose lines are single events of the block layer: keeps the matcher, rebases
// times to the first event, and hands on the records that are done.
#pragma once

#include <string_view>

#include "traces/importers/event_matcher.hpp"
#include "traces/importers/name_table.hpp"
#include "traces/importers/text_trace.hpp"

namespace rigel {

class EventTextParser : public LineParser {
 public:
  [[nodiscard]] ColumnSet columns() const override;
  // A format's order is that of its events; records come out of the matcher by start.
  [[nodiscard]] bool ordered_by_time() const override { return false; }
  void finish(LineOutput& out) override;

 protected:
  // Takes the event, whose device and task are the names and time is as the line has it.
  void add(BlockEvent event, std::string_view device, std::string_view comm, std::uint32_t pid,
           LineOutput& out);

 private:
  void hand_on(LineOutput& out);

  EventMatcher matcher_;
  DeviceNames devices_;
  StreamNames streams_;
  std::int64_t base_ns_ = kNoTime;
};

// "8,16" as the kernel writes a device number; false when `text` is none.
[[nodiscard]] bool parse_device_number(std::string_view text, std::uint32_t& major,
                                       std::uint32_t& minor);

}  // namespace rigel
