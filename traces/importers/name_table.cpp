#include "traces/importers/name_table.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"

namespace rigel {

std::uint32_t NameTable::add(std::string_view name) {
  if (index_of_.size() >= kMostNames) {
    throw Error{fmt::format("more than {} different names of devices or processes", kMostNames)};
  }
  last_index_ = static_cast<std::uint32_t>(index_of_.size());
  last_name_ = index_of_.emplace(name, last_index_).first->first;
  return last_index_;
}

}  // namespace rigel
