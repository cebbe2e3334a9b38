#include "cli/trace_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "traces/missing_records.hpp"
#include "traces/printable.hpp"

namespace rigel {
namespace {

constexpr std::size_t kMostLines = 20;

template <typename Entry, typename Print>
void report(const std::vector<Entry>& entries, const char* what, Print print) {
  const std::size_t shown = std::min(entries.size(), kMostLines);
  for (std::size_t i = 0; i < shown; ++i) print(entries[i]);
  if (shown < entries.size()) {
    fmt::print(stderr, "rigel: and {} {}\n", entries.size() - shown, what);
  }
}

}  // namespace

void report_warnings(const TraceTables& tables) {
  report(tables.warnings, "more warnings", [](const std::string& warning) {
    fmt::print(stderr, "rigel: warning: {}\n", printable(warning));
  });
}

void report_doubts(const TraceTables& tables) {
  report_warnings(tables);
  report(tables.damage, "more places of damage", [](const Damage& damage) {
    fmt::print(stderr, "rigel: damage at {}\n", describe(damage));
  });
}

}  // namespace rigel
