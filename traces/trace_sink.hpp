// Where records go: an .rgt file or any format that can be exported.
// One writer, one thread; write() and finish() throw Error naming the file, the offset and the
// cause. Without finish() the output is incomplete (for .rgt: readable up to the last block).
#pragma once

#include "traces/record_batch.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // `tables` holds every device and stream the batch names, and the losses known so far; it only
  // grows from one call to the next, and a sink takes what is new.
  virtual void write(const RecordBatch& batch, const TraceTables& tables) = 0;
  virtual void finish(const TraceTables& tables) = 0;
};

}  // namespace rigel
