// Keeps one set of tables up to date with another that grows, at the price of what is new: what a
// TraceSource that changes another one's records needs for its own tables().
// Owns nothing but positions; not thread safe.
#pragma once

#include <cstddef>

#include "traces/trace_tables.hpp"

namespace rigel {

// Callables as overloads of one.
template <typename... Callables>
struct Overloaded : Callables... {
  using Callables::operator()...;
};
template <typename... Callables>
Overloaded(Callables...) -> Overloaded<Callables...>;

class TableFollower {
 public:
  // Appends to `mine` what `theirs` gained since the last call. Each new entry (DeviceInfo&,
  // StreamInfo&, Loss&, Damage&, or std::string& for a warning) goes through `keep` first, which
  // may alter it, or returns false to leave it out. The meta data is not touched.
  template <typename Keep>
  void follow(const TraceTables& theirs, TraceTables& mine, Keep keep) {
    append(theirs.devices, devices_, mine.devices, keep);
    append(theirs.streams, streams_, mine.streams, keep);
    append(theirs.losses, losses_, mine.losses, keep);
    append(theirs.damage, damage_, mine.damage, keep);
    append(theirs.warnings, warnings_, mine.warnings, keep);
  }

 private:
  template <typename Table, typename Keep>
  static void append(const Table& theirs, std::size_t& seen, Table& mine, Keep& keep) {
    for (; seen < theirs.size(); ++seen) {
      typename Table::value_type entry = theirs[seen];
      if (keep(entry)) mine.push_back(std::move(entry));
    }
  }

  std::size_t devices_ = 0;
  std::size_t streams_ = 0;
  std::size_t losses_ = 0;
  std::size_t damage_ = 0;
  std::size_t warnings_ = 0;
};

}  // namespace rigel
