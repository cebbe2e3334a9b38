#include "traces/table_text.hpp"

#include <iterator>
#include <span>

#include "traces/table_json.hpp"

namespace rigel {
namespace {

template <typename Entry>
void take_new(std::string_view name, const std::vector<Entry>& entries, std::size_t& written,
              std::vector<TableLine>& lines) {
  // One a line: readers of text take no line of any length.
  for (; written < entries.size(); ++written) {
    const auto entry = std::span<const Entry>{entries}.subspan(written, 1);
    lines.push_back({name, rgt::to_json(written, entry)});
  }
}

template <typename Entry>
bool apply(std::span<const std::byte> json, std::vector<Entry>& entries) {
  auto slice = rgt::parse_table<Entry>(json);
  if (!slice || slice->first != entries.size()) return false;
  entries.insert(entries.end(), std::make_move_iterator(slice->entries.begin()),
                 std::make_move_iterator(slice->entries.end()));
  return true;
}

}  // namespace

std::vector<TableLine> TableLineWriter::take(const TraceTables& tables) {
  std::vector<TableLine> lines;
  std::string meta = rgt::to_json(tables.meta);
  if (meta != meta_) lines.push_back({"meta", meta});
  meta_ = std::move(meta);
  take_new("devices", tables.devices, devices_, lines);
  take_new("streams", tables.streams, streams_, lines);
  take_new("losses", tables.losses, losses_, lines);
  take_new("warnings", tables.warnings, warnings_, lines);
  return lines;
}

bool apply_table_line(std::string_view name, std::string_view json, TraceTables& tables) {
  const auto bytes = std::as_bytes(std::span{json});
  if (name == "meta") {
    auto meta = rgt::parse_meta(bytes);
    if (meta) tables.meta = std::move(*meta);
    return meta.has_value();
  }
  if (name == "devices") return apply(bytes, tables.devices);
  if (name == "streams") return apply(bytes, tables.streams);
  if (name == "losses") return apply(bytes, tables.losses);
  if (name == "warnings") return apply(bytes, tables.warnings);
  return false;
}

}  // namespace rigel
