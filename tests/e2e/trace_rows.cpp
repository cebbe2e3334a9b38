// trace_rows FILE: every record of a trace as a line of tab-separated fields, for the shell tests:
//   1 op  2 offset  3 length  4 device  5 comm  6 role  7 instance  8 pid  9 tid  10 flags, as
//   ",sync,fua," 11 queue  12 issue  13 complete  14 cpu  15 status
// Times are ns, "-" where there is none. Needs only the trace library, so that what a recording
// holds is told by other code than the commands under test.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>
#include <string>

#include "traces/trace_reader.hpp"

namespace {

std::string time_text(std::int64_t ns) {
  return ns == rigel::kNoTime ? "-" : std::to_string(ns);
}

struct FlagName {
  std::uint32_t flag;
  const char* name;
};
constexpr std::array kFlags{
    FlagName{rigel::io_flag::kSync, "sync"},
    FlagName{rigel::io_flag::kFua, "fua"},
    FlagName{rigel::io_flag::kPreflush, "preflush"},
    FlagName{rigel::io_flag::kMeta, "meta"},
    FlagName{rigel::io_flag::kReadahead, "readahead"},
    FlagName{rigel::io_flag::kBackground, "background"},
    FlagName{rigel::io_flag::kNowait, "nowait"},
    FlagName{rigel::io_flag::kPassthrough, "passthrough"},
    FlagName{rigel::io_flag::kBioLayer, "bio"},
    FlagName{rigel::io_flag::kMerged, "merged"},
    FlagName{rigel::io_flag::kSplit, "split"},
    FlagName{rigel::io_flag::kRequeued, "requeued"},
    FlagName{rigel::io_flag::kWriteback, "writeback"},
    FlagName{rigel::io_flag::kInFlightAtStart, "at-start"},
    FlagName{rigel::io_flag::kInFlightAtStop, "at-stop"},
    FlagName{rigel::io_flag::kEndUnseen, "end-unseen"},
};

std::string flags_text(std::uint32_t flags) {
  std::string text = ",";
  for (const FlagName& entry : kFlags) {
    if ((flags & entry.flag) != 0) text += std::string{entry.name} + ",";
  }
  return text;
}

void print_rows(const char* path) {
  rigel::TraceReader trace{rigel::open_file(path)};
  rigel::RecordBatch batch;
  while (trace.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const rigel::IoRecord record = batch.record(i);
      const rigel::StreamInfo& stream = trace.tables().streams.at(record.stream);
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                 rigel::op_name(record.op), record.offset_bytes, record.length_bytes,
                 trace.tables().devices.at(record.device).name, stream.comm, stream.role,
                 stream.instance, stream.pid, stream.tid, flags_text(record.flags),
                 time_text(record.queue_ns), time_text(record.issue_ns),
                 time_text(record.complete_ns), record.cpu, record.status);
    }
  }
  for (const rigel::Damage& damage : trace.tables().damage) {
    fmt::print(stderr, "damage at byte {}: {}\n", damage.offset_bytes, damage.reason);
  }
  for (const auto& [key, value] : trace.tables().meta.extra) {
    fmt::print(stderr, "{}={}\n", key, value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    print_rows(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "trace_rows: {}\n", error.what());
    return 1;
  }
  return 0;
}
