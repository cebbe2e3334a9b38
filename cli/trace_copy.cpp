#include "cli/trace_copy.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "cli/command.hpp"
#include "cli/stop_signal.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// True when a part could not be read.
bool report_damage(const TraceTables& tables) {
  for (const Damage& damage : tables.damage) {
    fmt::print(stderr, "rigel: damage at byte {}: {} bytes skipped{}: {}\n", damage.offset_bytes,
               damage.length_bytes,
               damage.records_lost == 0 ? "" : fmt::format(", {} I/Os lost", damage.records_lost),
               damage.reason);
  }
  return !tables.damage.empty();
}

}  // namespace

void report_warnings(const TraceTables& tables) {
  for (const std::string& warning : tables.warnings) {
    fmt::print(stderr, "rigel: warning: {}\n", warning);
  }
}

int copy_trace(TraceSource& source, const std::string& out, const ExportOptions& options) {
  const std::atomic<bool>& stop = stop_flag();
  static_cast<void>(find_exporter(out, options));
  RecordBatch batch;
  bool more = source.next(batch);
  const bool nothing = !more;
  const std::unique_ptr<TraceSink> sink = create_trace(out, options);
  while (more && !stop) {
    sink->write(batch, source.tables());
    more = source.next(batch);
  }
  sink->finish(source.tables());
  report_warnings(source.tables());
  const bool damaged = report_damage(source.tables());
  if (nothing) fmt::print(stderr, "rigel: warning: no I/O was chosen: {} has none\n", out);
  if (stop) return stop_exit_code();
  return damaged ? kExitFailed : kExitDone;
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
