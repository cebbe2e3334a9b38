#include "cli/trace_copy.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "cli/command.hpp"
#include "cli/stop_signal.hpp"
#include "cli/trace_doubts.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

// What could not be read of the input is missing from the copy: it has to say so too.
TraceTables with_damage_as_losses(TraceTables tables) {
  for (const Damage& damage : tables.damage) {
    const std::string cause = "damaged input: " + damage.reason;
    if (damage.records_lost == 0) {
      tables.warnings.push_back(cause);
    } else {
      tables.losses.push_back(
          {.from_ns = 0, .to_ns = 0, .count = damage.records_lost, .cause = cause});
    }
  }
  return tables;
}

}  // namespace

int copy_trace(TraceSource& source, const std::function<std::unique_ptr<TraceSink>()>& create) {
  RecordBatch batch;
  bool more = source.next(batch);
  const bool nothing = !more;
  const std::unique_ptr<TraceSink> sink = create();
  while (more) {
    sink->write(batch, source.tables());
    more = source.next(batch);
  }
  sink->finish(with_damage_as_losses(source.tables()));
  report_doubts(source.tables());
  if (const int code = stop_exit_code(); code != 0) return code;
  if (nothing) fmt::print(stderr, "rigel: warning: the result holds no I/O\n");
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
