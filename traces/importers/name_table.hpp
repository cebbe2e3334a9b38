// Gives names (devices, processes) their index in a table, in order of appearance.
// Not thread safe. Throws Error past kMostNames, so that garbage read as names costs no memory.
#pragma once

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
    // Traces name the same device again and again.
    if (name == last_name_ && !index_of_.empty()) return {last_index_, false};
    const auto found = index_of_.find(name);
    if (found == index_of_.end()) return {add(name), true};
    last_name_ = found->first;
    last_index_ = found->second;
    return {last_index_, false};
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
  std::string_view last_name_;  // into index_of_, whose nodes stay where they are
  std::uint32_t last_index_ = 0;
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
