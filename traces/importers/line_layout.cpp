#include "traces/importers/line_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traces/io_flag_names.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kYear2001Ns = 978'307'200 * kNsPerSecond;
constexpr std::int64_t kYear2096Ns = 3'976'214'400 * kNsPerSecond;

struct OpWord {
  std::string_view word;
  IoOp op;
};
constexpr std::array kOpWords{
    OpWord{"r", IoOp::kRead},         OpWord{"w", IoOp::kWrite},
    OpWord{"read", IoOp::kRead},      OpWord{"write", IoOp::kWrite},
    OpWord{"d", IoOp::kDiscard},      OpWord{"discard", IoOp::kDiscard},
    OpWord{"trim", IoOp::kDiscard},   OpWord{"t", IoOp::kDiscard},
    OpWord{"unmap", IoOp::kDiscard},  OpWord{"f", IoOp::kFlush},
    OpWord{"flush", IoOp::kFlush},    OpWord{"sync", IoOp::kFlush},
    OpWord{"datasync", IoOp::kFlush}, OpWord{"rs", IoOp::kRead},
    OpWord{"ws", IoOp::kWrite},       OpWord{"write-zeroes", IoOp::kWriteZeroes},
    OpWord{"other", IoOp::kOther},
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

ColumnSet columns_of(const LineLayout& layout) {
  ColumnSet set;
  bool start = false;
  for (const FieldLayout& field : layout.fields) {
    switch (field.kind) {
      case Field::kIgnored:
        break;
      case Field::kQueue:
        set.add(Column::kQueue);
        start = true;
        break;
      case Field::kIssue:
        set.add(Column::kIssue);
        start = true;
        break;
      case Field::kComplete:
        set.add(Column::kComplete);
        break;
      case Field::kLatency:
        break;
      case Field::kOffset:
        set.add(Column::kOffset);
        break;
      case Field::kLength:
        set.add(Column::kLength);
        break;
      case Field::kOp:
        set.add(Column::kOp);
        break;
      case Field::kDevice:
      case Field::kDeviceIndex:
        set.add(Column::kDevice);
        break;
      case Field::kComm:
      case Field::kPid:
      case Field::kTid:
      case Field::kStream:
        set.add(Column::kStream);
        break;
      case Field::kCpu:
        set.add(Column::kCpu);
        break;
      case Field::kStatus:
        set.add(Column::kStatus);
        break;
      case Field::kFlags:
        set.add(Column::kFlags);
        break;
    }
  }
  if (layout.fixed_length_bytes != 0) set.add(Column::kLength);
  const bool latency = std::any_of(layout.fields.begin(), layout.fields.end(),
                                   [](const auto& f) { return f.kind == Field::kLatency; });
  if (latency && start) set.add(Column::kComplete);
  return set;
}

}  // namespace

bool parse_op(std::string_view text, IoOp& op) {
  for (const OpWord& known : kOpWords) {
    if (!same_word(text, known.word)) continue;
    op = known.op;
    return true;
  }
  return false;
}

std::int64_t time_unit_ns(const OpenOptions& options, std::int64_t own_unit_ns) {
  return options.time_unit ? time_unit_ns(*options.time_unit) : own_unit_ns;
}

LayoutParser::LayoutParser(LineLayout layout)
    : layout_{std::move(layout)}, columns_{columns_of(layout_)} {
  names_devices_ = std::any_of(layout_.fields.begin(), layout_.fields.end(),
                               [](const auto& field) { return field.kind == Field::kDevice; });
  names_tasks_ = std::any_of(layout_.fields.begin(), layout_.fields.end(), [](const auto& field) {
    return field.kind == Field::kComm || field.kind == Field::kPid || field.kind == Field::kTid;
  });
}

void LayoutParser::take_op(const FieldLayout& field, TextFields& fields, IoRecord& record) {
  if (layout_.read_number >= 0) {
    const std::uint64_t number = fields.number(field.name.c_str());
    if (number > layout_.most_op_number && reason_.empty()) {
      reason_ = fmt::format("{}: {} is no operation", field.name, number);
    }
    record.op =
        number % 2 == static_cast<unsigned>(layout_.read_number) ? IoOp::kRead : IoOp::kWrite;
    return;
  }
  const std::string_view word = fields.text(field.name.c_str());
  if (fields.ok() && !parse_op(word, record.op) && reason_.empty()) {
    reason_ = fmt::format("{}: '{}' is no operation", field.name, word.substr(0, 40));
  }
}

void LayoutParser::take(const FieldLayout& field, TextFields& fields, IoRecord& record,
                        TraceTables& tables) {
  const char* const name = field.name.c_str();
  const auto time = [&](std::int64_t& to) {
    if (!fields.take_empty()) to = fields.time(name, field.unit);
  };
  switch (field.kind) {
    case Field::kIgnored:
      fields.text(name);
      break;
    case Field::kQueue:
      time(record.queue_ns);
      break;
    case Field::kIssue:
      time(record.issue_ns);
      break;
    case Field::kComplete:
      time(record.complete_ns);
      break;
    case Field::kLatency:
      time(latency_ns_);
      break;
    case Field::kOffset:
      record.offset_bytes = fields.bytes(name, static_cast<std::uint64_t>(field.unit));
      break;
    case Field::kLength:
      record.length_bytes = fields.length(name, static_cast<std::uint64_t>(field.unit));
      break;
    case Field::kOp:
      take_op(field, fields, record);
      break;
    case Field::kDevice:
      device_ = fields.text(name);
      break;
    case Field::kDeviceIndex:
      record.device = fields.small_number(name, std::max<std::size_t>(tables.devices.size(), 1));
      break;
    case Field::kStream:
      record.stream = fields.small_number(name, std::max<std::size_t>(tables.streams.size(), 1));
      break;
    case Field::kComm:
      task_.comm = fields.text(name);
      break;
    case Field::kPid:
      if (!fields.take_empty()) task_.pid = fields.small_number(name);
      break;
    case Field::kTid:
      if (!fields.take_empty()) task_.tid = fields.small_number(name);
      break;
    case Field::kCpu:
      if (!fields.take_empty()) {
        record.cpu = static_cast<std::uint16_t>(fields.small_number(name, kNoCpu));
      }
      break;
    case Field::kStatus:
      if (!fields.take_empty()) record.status = fields.errno_value(name);
      break;
    case Field::kFlags: {
      const std::string_view names = fields.text(name);
      if (fields.ok() && !parse_flags(names, record.flags) && reason_.empty()) {
        reason_ = fmt::format("{}: '{}' is no list of flags", name, names.substr(0, 40));
      }
      break;
    }
  }
}

void LayoutParser::rebase(IoRecord& record, TraceTables& tables) {
  if (layout_.clock == LineLayout::Clock::kTraceStart || record.start_ns() == kNoTime) return;
  if (base_ns_ == kNoTime) {
    const std::int64_t first = record.start_ns();
    const bool dated = first >= kYear2001Ns && first < kYear2096Ns;
    base_ns_ = layout_.clock == LineLayout::Clock::kUnixOrStart && !dated ? 0 : first;
    if (dated && layout_.clock != LineLayout::Clock::kUnknown)
      tables.meta.start_wall_ns = first;
    else if (base_ns_ != 0)
      tables.meta.extra["first_time_ns"] = std::to_string(first);
  }
  for (std::int64_t* time : {&record.queue_ns, &record.issue_ns, &record.complete_ns}) {
    if (*time != kNoTime) *time -= base_ns_;
  }
}

std::string LayoutParser::read(std::string_view line, IoRecord& record, TraceTables& tables) {
  TextFields fields{line, layout_.separator};
  reason_.clear();
  task_ = {};
  latency_ns_ = kNoTime;
  for (const FieldLayout& field : layout_.fields) take(field, fields, record, tables);
  if (!fields.ok()) return fields.why();
  if (!reason_.empty()) return reason_;
  if (!layout_.more_fields_allowed && !fields.at_end()) {
    return fmt::format("more than {} fields", layout_.fields.size());
  }
  if (latency_ns_ != kNoTime && record.complete_ns == kNoTime && record.start_ns() != kNoTime) {
    record.complete_ns = record.start_ns() + latency_ns_;
  }
  if (layout_.fixed_length_bytes != 0) record.length_bytes = layout_.fixed_length_bytes;
  // Names are entered once the whole line has turned out to be good.
  if (names_devices_) record.device = devices_.index(device_, tables);
  if (names_tasks_) record.stream = streams_.index(task_.comm, task_.pid, task_.tid, tables);
  rebase(record, tables);
  return {};
}

void LayoutParser::parse(std::string_view line, LineOutput& out) {
  if (layout_.skipped != '\0' && line.front() == layout_.skipped) return;
  IoRecord record;
  std::string reason = read(line, record, out.tables);
  if (!reason.empty()) return out.refuse(std::move(reason));
  out.add(record);
}

}  // namespace rigel
