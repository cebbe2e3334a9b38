#include "traces/importers/name_table.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"

namespace rigel {

std::uint32_t NameTable::add(std::string_view name) {
  if (index_of_.size() >= kMostNames) {
    throw Error{fmt::format("more than {} different names of devices or processes", kMostNames)};
  }
  const auto index = static_cast<std::uint32_t>(index_of_.size());
  index_of_.emplace(name, index);
  return index;
}

std::uint32_t StreamNames::index(std::string_view comm, std::uint32_t pid, std::uint32_t tid,
                                 TraceTables& tables) {
  key_.assign(comm);
  key_.append(reinterpret_cast<const char*>(&pid), sizeof pid);
  key_.append(reinterpret_cast<const char*>(&tid), sizeof tid);
  const auto [index, is_new] = names_.find_or_add(key_);
  if (is_new) {
    StreamInfo& stream = tables.streams.emplace_back();
    stream.comm = comm;
    stream.pid = pid;
    stream.tid = tid;
  }
  return index;
}

}  // namespace rigel
