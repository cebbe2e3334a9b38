#include "model/array/array_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ini_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <filesystem>
#include <sstream>
#include <vector>

#include "model/array/array_keys.hpp"
#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/text_file.hpp"

namespace rigel {
namespace {

const ArrayKey* find_key(std::string_view section, std::string_view name) {
  for (const ArrayKey& key : array_keys()) {
    if (key.section == section && key.name == name) return &key;
  }
  return nullptr;
}

std::string known_names(std::string_view section) {
  std::string names;
  for (const ArrayKey& key : array_keys()) {
    const std::string_view name = section.empty() ? key.section : key.name;
    if (!section.empty() && key.section != section) continue;
    if (names.find(fmt::format(" {},", name)) != std::string::npos) continue;
    names += fmt::format(" {},", name);
  }
  if (!names.empty()) names.pop_back();
  return names;
}

}  // namespace

ArrayConfig parse_array_config(std::string_view text, const std::string& name) {
  boost::property_tree::ptree tree;
  try {
    std::istringstream stream{std::string{text}};
    boost::property_tree::read_ini(stream, tree);
  } catch (const boost::property_tree::ini_parser_error& error) {
    throw UsageError{fmt::format("{}: line {}: {}", name, error.line(), error.message())};
  }
  ArrayConfig config;
  for (const auto& [section, values] : tree) {
    if (known_names(section).empty() || section.empty()) {
      throw UsageError{
          fmt::format("{}: there is no section [{}]; there are{}", name, section, known_names({}))};
    }
    for (const auto& [key_name, value] : values) {
      const ArrayKey* key = find_key(section, key_name);
      if (key == nullptr) {
        throw UsageError{fmt::format("{}: [{}] has no key '{}'; it has{}", name, section, key_name,
                                     known_names(section))};
      }
      try {
        key->read(config, value.data());
      } catch (const Error& allowed) {
        throw UsageError{fmt::format("{}: [{}] {} = {}: {} is wanted", name, section, key_name,
                                     value.data(), allowed.what())};
      }
    }
  }
  if (config.name.empty()) config.name = name;
  try {
    validate(config);
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", name, error.what())};
  }
  return config;
}

void validate(const ArrayConfig& config) {
  const unsigned disks = config.disks.count;
  const auto need = [&](bool good, const char* what) {
    if (!good) {
      throw UsageError{fmt::format("[raid] level = {} needs {}, but [disks] count = {}",
                                   config.raid.level, what, disks)};
    }
  };
  if (config.raid.level == 1) need(disks == 2, "2 disks (for more, level 10)");
  if (config.raid.level == 5) need(disks >= 3, "at least 3 disks");
  if (config.raid.level == 6) need(disks >= 4, "at least 4 disks");
  if (config.raid.level == 10) need(disks >= 4 && disks % 2 == 0, "an even number of at least 4");
  const bool mechanical = config.disks.law == ServiceLaw::kMechanical;
  if (config.queue.policy != DiskQueuePolicy::kFifo && !mechanical) {
    throw UsageError{
        "[queue] policy: only disks with [disks] service = mechanical gain from an order other "
        "than fifo"};
  }
  if (mechanical && config.disks.units != 1) {
    throw UsageError{"[disks] units: a mechanical disk has one arm, so 1 is wanted"};
  }
  if (mechanical && config.disks.bytes_per_second == 0) {
    throw UsageError{"[disks] transfer: a mechanical disk needs its transfer rate"};
  }
  if (!mechanical && config.disks.buffer_segments > 0) {
    throw UsageError{"[disks] buffer_segments: only disks with service = mechanical have a buffer"};
  }
  if (config.disks.write_buffer && config.disks.buffer_segments == 0) {
    throw UsageError{"[disks] write_buffer = yes needs buffer_segments, at least 1"};
  }
  const DiskConfig& d = config.disks;
  if (mechanical &&
      !(d.seek_single_ns <= d.seek_average_ns && d.seek_average_ns <= d.seek_full_ns)) {
    throw UsageError{"[disks] seek_single, seek_average, seek_full: each at least the one before"};
  }
  if (config.cache.bytes != 0 && config.cache.bytes < config.cache.page_bytes) {
    throw UsageError{fmt::format("[cache] size = {}: at least one page of {} is wanted",
                                 write_size(config.cache.bytes),
                                 write_size(config.cache.page_bytes))};
  }
  if (config.cache.bytes / config.cache.page_bytes > 1U << 31) {
    throw UsageError{"[cache] size: at most 2^31 pages are wanted; make the page larger"};
  }
}

ArrayConfig load_array_config(const std::string& name_or_path) {
  for (const ArrayPreset& preset : array_presets()) {
    if (preset.name == name_or_path) {
      return parse_array_config(preset.text, std::string{preset.name});
    }
  }
  if (name_or_path.find_first_of("/.") == std::string::npos &&
      !std::filesystem::exists(name_or_path)) {
    std::string names;
    for (const ArrayPreset& preset : array_presets()) names += fmt::format(" {}", preset.name);
    throw UsageError{fmt::format(
        "there is no array '{}', nor a file of that name; the arrays are{}", name_or_path, names)};
  }
  const auto source = open_file(name_or_path);
  return parse_array_config(read_text(*source, 1U << 20), source->name());
}

std::string to_ini(const ArrayConfig& config) {
  std::string text;
  std::string_view section;
  for (const ArrayKey& key : array_keys()) {
    if (key.section != section) {
      text += fmt::format("{}[{}]\n", section.empty() ? "" : "\n", key.section);
      section = key.section;
    }
    if (!key.remark.empty()) text += fmt::format("; {}\n", key.remark);
    text += fmt::format("{} = {}\n", key.name, key.write(config));
  }
  return text;
}

}  // namespace rigel
