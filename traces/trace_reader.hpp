// Reads .rgt, the format of FORMAT.md, from a file, a pipe or memory: a TraceSource that decodes
// only the columns it is asked for and, where the source can be positioned, reads only the blocks
// of the time that it is asked for. A batch is one block's records.
//
// Damage is passed over and listed in tables().damage, with offset and count. Traces that were
// concatenated are read as one: indices of devices and streams are made to fit, and times are those
// of the first trace where both say when they began.
// Memory: one block, at most a few times format.hpp's limits, whatever the file says.
// One thread. The constructor and next() throw Error when the source cannot be read, holds no block
// of .rgt at all, was written by a newer version of the format, or when a time is asked for and it
// has no times.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "traces/byte_source.hpp"
#include "traces/footer.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct TraceReaderOptions {
  ColumnSet columns = ColumnSet::all();
  // Records with from_ns <= start_ns < to_ns; those without a start time only when all is wanted.
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();
};

class TraceReader final : public TraceSource {
 public:
  explicit TraceReader(std::unique_ptr<ByteSource> in, TraceReaderOptions options = {});
  ~TraceReader() override;

  bool next(RecordBatch& batch) override;
  [[nodiscard]] const TraceTables& tables() const override;

  // Known before the first record when the source can be positioned and its index is whole,
  // otherwise from the end on, and then only if it is.
  [[nodiscard]] const std::optional<rgt::Totals>& totals() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether a file that begins with `head` is .rgt: it begins as one, however little there is of it,
// or its first bytes are damaged and a whole block header follows.
[[nodiscard]] bool is_rgt(std::span<const std::byte> head);

}  // namespace rigel
