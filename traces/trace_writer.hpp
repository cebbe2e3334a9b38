// Writes .rgt, the format of FORMAT.md: append-only, so that a pipe will do and a crash at any byte
// leaves everything up to the last whole block readable.
// One thread. write(), flush() and finish() throw Error naming file, offset and cause; after that
// the writer is dead and what was written before stays readable.
#pragma once

#include <cstddef>
#include <memory>

#include "traces/byte_sink.hpp"
#include "traces/trace_sink.hpp"

namespace rigel {

struct TraceWriterOptions {
  int compression_level = 6;              // zstd's, of what gains by it
  std::size_t records_per_block = 65536;  // what a crash can cost, and what a reader must hold
  std::size_t first_loss = 0;             // losses before this entry are another file's
};

class TraceWriter final : public TraceSink {
 public:
  explicit TraceWriter(std::unique_ptr<ByteSink> out, TraceWriterOptions options = {});
  ~TraceWriter() override;  // does not finish

  // Copies the rows; the call that fills a block (or changes the columns) also compresses and
  // writes it, about 5 ms for 65,536 records. A table's entry is taken when a block is written, and
  // not looked at again.
  void write(const RecordBatch& batch, const TraceTables& tables) override;
  // Ends the block under way and hands it to the file: what was written so far is safe.
  void flush(const TraceTables& tables);
  void finish(const TraceTables& tables) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rigel
