#include "traces/table_json.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <limits>
#include <map>
#include <utility>

namespace rigel::rgt {
namespace {

using nlohmann::json;

// Each structure's fields, once for both directions. `Self` may be const.
template <typename Self, typename Visit>
void fields_of(Self& self, Visit visit, const TraceMeta*) {
  visit("source", self.source);
  visit("host", self.host);
  visit("kernel", self.kernel);
  visit("clock", self.clock);
  visit("start_wall_ns", self.start_wall_ns);
  visit("extra", self.extra);
}
template <typename Self, typename Visit>
void fields_of(Self& self, Visit visit, const DeviceInfo*) {
  visit("name", self.name);
  visit("major", self.major);
  visit("minor", self.minor);
  visit("size_bytes", self.size_bytes);
  visit("logical_block_bytes", self.logical_block_bytes);
  visit("wwid", self.wwid);
  visit("model", self.model);
  visit("parent", self.parent);
  visit("start_bytes", self.start_bytes);
}
template <typename Self, typename Visit>
void fields_of(Self& self, Visit visit, const StreamInfo*) {
  visit("comm", self.comm);
  visit("pid", self.pid);
  visit("tid", self.tid);
  visit("role", self.role);
  visit("instance", self.instance);
  visit("cgroup", self.cgroup);
}
template <typename Self, typename Visit>
void fields_of(Self& self, Visit visit, const Loss*) {
  visit("from_ns", self.from_ns);
  visit("to_ns", self.to_ns);
  visit("count", self.count);
  visit("cause", self.cause);
}

// load() returns false when the JSON value is not one that `into` can hold.
bool load(const json& value, std::string& into) {
  if (!value.is_string()) return false;
  into = value.get<std::string>();
  return true;
}
template <std::unsigned_integral Number>
bool load(const json& value, Number& into) {
  if (!value.is_number_unsigned()) return false;
  const auto number = value.get<std::uint64_t>();
  into = static_cast<Number>(number);
  return number <= std::numeric_limits<Number>::max();
}
bool load(const json& value, std::int64_t& into) {
  if (!value.is_number_integer()) return false;
  into = value.get<std::int64_t>();
  // A literal above 2^63-1 is unsigned to the parser and would have wrapped.
  return !value.is_number_unsigned() || into >= 0;
}
bool load(const json& value, std::map<std::string, std::string>& into) {
  if (!value.is_object()) return false;
  for (const auto& [key, text] : value.items()) {
    if (!load(text, into[key])) return false;
  }
  return true;
}
template <typename Entry>
bool load(const json& value, Entry& into) {
  if (!value.is_object()) return false;
  bool good = true;
  fields_of(
      into,
      [&](const char* name, auto& field) {
        const auto found = value.find(name);
        if (found != value.end()) good = good && load(*found, field);
      },
      static_cast<const Entry*>(nullptr));
  return good;
}

json store(const std::string& text) {
  return text;
}
template <typename Entry>
json store(const Entry& entry) {
  static const Entry kDefault;
  json object = json::object();
  std::vector<json> defaults;
  fields_of(
      kDefault, [&](const char*, const auto& field) { defaults.push_back(field); }, &kDefault);
  std::size_t index = 0;
  fields_of(
      entry,
      [&](const char* name, const auto& field) {
        json value = field;
        if (value != defaults[index++]) object[name] = std::move(value);
      },
      &kDefault);
  return object;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json parse(std::span<const std::byte> text) {
  const auto* const begin = reinterpret_cast<const char*>(text.data());
  return json::parse(begin, begin + text.size(), nullptr, false);
}

}  // namespace

std::string to_json(const TraceMeta& meta) {
  return dump(store(meta));
}

std::optional<TraceMeta> parse_meta(std::span<const std::byte> text) {
  TraceMeta meta;
  if (!load(parse(text), meta)) return std::nullopt;
  return meta;
}

template <typename Entry>
std::string to_json(std::uint64_t first, std::span<const Entry> entries) {
  json array = json::array();
  for (const Entry& entry : entries) array.push_back(store(entry));
  return dump({{"first", first}, {"entries", std::move(array)}});
}

template <typename Entry>
std::optional<TableSlice<Entry>> parse_table(std::span<const std::byte> text) {
  const json value = parse(text);
  if (!value.is_object()) return std::nullopt;
  TableSlice<Entry> slice;
  const auto first = value.find("first");
  const auto entries = value.find("entries");
  if (first == value.end() || entries == value.end() || !entries->is_array()) return std::nullopt;
  if (!load(*first, slice.first)) return std::nullopt;
  for (const json& item : *entries) {
    if (!load(item, slice.entries.emplace_back())) return std::nullopt;
  }
  return slice;
}

template std::string to_json(std::uint64_t, std::span<const DeviceInfo>);
template std::string to_json(std::uint64_t, std::span<const StreamInfo>);
template std::string to_json(std::uint64_t, std::span<const Loss>);
template std::string to_json(std::uint64_t, std::span<const std::string>);
template std::optional<TableSlice<DeviceInfo>> parse_table(std::span<const std::byte>);
template std::optional<TableSlice<StreamInfo>> parse_table(std::span<const std::byte>);
template std::optional<TableSlice<Loss>> parse_table(std::span<const std::byte>);
template std::optional<TableSlice<std::string>> parse_table(std::span<const std::byte>);

}  // namespace rigel::rgt
