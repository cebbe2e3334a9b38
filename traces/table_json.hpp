// The JSON of .rgt's table blocks. Fields that hold their default are left out; fields this version
// does not know are ignored; a field of the wrong type or range makes the whole text invalid.
// Pure functions. Strings that are not UTF-8 are written with U+FFFD in place of the bad bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel::rgt {

// Entries `first`, `first` + 1, … of a table.
template <typename Entry>
struct TableSlice {
  std::uint64_t first = 0;
  std::vector<Entry> entries;
};

[[nodiscard]] std::string to_json(const TraceMeta& meta);
[[nodiscard]] std::optional<TraceMeta> parse_meta(std::span<const std::byte> json);

// For Entry = DeviceInfo, StreamInfo, Loss and std::string.
template <typename Entry>
[[nodiscard]] std::string to_json(std::uint64_t first, std::span<const Entry> entries);
template <typename Entry>
[[nodiscard]] std::optional<TableSlice<Entry>> parse_table(std::span<const std::byte> json);

}  // namespace rigel::rgt
