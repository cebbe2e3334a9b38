// The keys of an array's file, each with how its text becomes a value of the configuration and how
// that is written back; array_config.cpp reads and writes files by this table alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/array/array_config.hpp"

namespace rigel {

struct ArrayKey {
  std::string_view section;
  std::string_view name;
  std::string_view remark;
  std::function<void(ArrayConfig&, const std::string&)> read;  // throws Error: what is allowed
  std::function<std::string(const ArrayConfig&)> write;
};

[[nodiscard]] const std::vector<ArrayKey>& array_keys();

// "96G", "8k": what parse_bytes() reads back to the byte.
[[nodiscard]] std::string write_size(std::uint64_t bytes);

}  // namespace rigel
