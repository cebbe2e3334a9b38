// Gives names (devices, processes) their index in a table, in order of appearance.
// Not thread safe. Throws Error past kMostNames, so that garbage read as names costs no memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "traces/trace_tables.hpp"

namespace rigel {

class NameTable {
 public:
  static constexpr std::uint32_t kMostNames = 1U << 20;

  struct Found {
    std::uint32_t index;
    bool is_new;  // the caller adds the entry that the index stands for
  };
  Found find_or_add(std::string_view name) {
    // Traces name the same few devices again and again, and those differ in their last character.
    Recent& recent = recent_[name.empty() ? 0 : static_cast<unsigned char>(name.back()) % kRecent];
    if (recent.is_set && recent.name == name) return {recent.index, false};
    const auto found = index_of_.find(name);
    if (found == index_of_.end()) return {add(name), true};
    recent = {found->first, found->second, true};
    return {found->second, false};
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  std::uint32_t add(std::string_view name);

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_of_;
  static constexpr std::size_t kRecent = 16;
  struct Recent {
    std::string_view name;  // in index_of_, whose nodes stay where they are
    std::uint32_t index = 0;
    bool is_set = false;
  };
  std::array<Recent, kRecent> recent_;
};

// The devices of a trace whose source only names them.
class DeviceNames {
 public:
  // The index of `name` in tables.devices, where it is added when it is new.
  std::uint32_t index(std::string_view name, TraceTables& tables) {
    const auto [index, is_new] = names_.find_or_add(name);
    if (is_new) tables.devices.emplace_back().name = name;
    return index;
  }

 private:
  NameTable names_;
};

// The tasks of a trace whose source names them by command and process or thread number.
class StreamNames {
 public:
  // The index of the task in tables.streams, where it is added when it is new.
  std::uint32_t index(std::string_view comm, std::uint32_t pid, std::uint32_t tid,
                      TraceTables& tables);

 private:
  NameTable names_;
  std::string key_;
};

}  // namespace rigel
