#include "cli/trace_copy.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/stop_signal.hpp"
#include "traces/error.hpp"

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

void report_damage(const TraceTables& tables) {
  report(tables.damage, "more places of damage", [](const Damage& damage) {
    fmt::print(stderr, "rigel: damage at byte {}: {} bytes skipped{}: {}\n", damage.offset_bytes,
               damage.length_bytes,
               damage.records_lost == 0 ? "" : fmt::format(", {} I/Os lost", damage.records_lost),
               damage.reason);
  });
}

}  // namespace

void report_warnings(const TraceTables& tables) {
  report(tables.warnings, "more warnings",
         [](const std::string& warning) { fmt::print(stderr, "rigel: warning: {}\n", warning); });
}

int copy_trace(TraceSource& source, const std::function<std::unique_ptr<TraceSink>()>& create) {
  const std::atomic<bool>& stop = stop_flag();
  RecordBatch batch;
  bool more = source.next(batch);
  const bool nothing = !more;
  const std::unique_ptr<TraceSink> sink = create();
  while (more && !stop) {
    sink->write(batch, source.tables());
    more = source.next(batch);
  }
  sink->finish(source.tables());
  report_warnings(source.tables());
  report_damage(source.tables());
  if (nothing) fmt::print(stderr, "rigel: warning: the result holds no I/O\n");
  if (stop) return stop_exit_code();
  return source.tables().damage.empty() ? kExitDone : kExitFailed;
}

void refuse_to_overwrite(const std::vector<std::string>& inputs, const std::string& out) {
  struct stat target = {};
  if (out == "-" || ::stat(out.c_str(), &target) != 0 || !S_ISREG(target.st_mode)) return;
  for (const std::string& input : inputs) {
    struct stat status = {};
    if (input == "-" || ::stat(input.c_str(), &status) != 0) continue;
    if (status.st_dev == target.st_dev && status.st_ino == target.st_ino) {
      throw UsageError{fmt::format("{} is both input and output", out)};
    }
  }
}

}  // namespace rigel
