// Where a replay's I/O comes from: a trace, or a workload such as ORION's.
// Called from one thread, the read-ahead thread, which is not the one that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/planned_io.hpp"
#include "traces/missing_records.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Fills `into` from the front with I/Os, in the order in which they are to be issued (by due_ns,
  // but for ReplayTiming::kDependent: by stream); returns how many, 0 at the end. Throws Error when
  // the input cannot be read.
  virtual std::size_t next(std::span<PlannedIo> into) = 0;

  // How often each reason not to issue a record was met.
  using Reasons = std::map<std::string, std::uint64_t, std::less<>>;
  struct Tally {
    std::uint64_t records = 0;           // read, issued or not
    Reasons left_out;                    // by choice: "write without --write", …
    Reasons impossible;                  // not by choice: "beyond the end of the target", …
    std::uint64_t stamps_backwards = 0;  // earlier than the one before it
    std::uint64_t moved = 0;             // fitted into a target of another size
    std::uint64_t widened = 0;           // to whole blocks of the target
    // From the first to the last record read, issued or not, as recorded; unset without times.
    std::optional<std::int64_t> recorded_duration_ns;
    MissingRecords missing;          // what happened and is not in the input, as far as it was read
    std::vector<std::string> notes;  // on how devices were mapped
  };
  // Complete once next() has returned 0.
  [[nodiscard]] virtual const Tally& tally() const = 0;
  // Names of PlannedIo::role, "" at 0. Grows while reading.
  [[nodiscard]] virtual const std::vector<std::string>& roles() const = 0;
  // Adds to `tables` the streams, by PlannedIo::stream, that it does not have yet of those that I/O
  // handed out so far names. From any thread, while another one reads.
  virtual void add_streams(TraceTables& tables) const = 0;
};

}  // namespace rigel
