// One recording: tracer -> assembler -> writer, until told to stop.
// The calling thread drains the ring; a thread of its own names, sorts, compresses and writes, so
// that a slow disk does not cost events until the queue between them (a few MB) is full too. What
// does not fit then stays in the ring, what does not fit there is lost and counted by the kernel
// side, with the time, in TraceTables::losses.
// Everything runs inside record(); an Error of the writing side ends the recording and is thrown
// after the kernel side has been detached.
// With a page sample (BlockTracerOptions) there is nothing to write: record_pages() hands what is
// sampled to its sink on the calling thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "capture/block_tracer.hpp"
#include "capture/event_assembler.hpp"
#include "capture/recording_sink.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

struct RecordingResult {
  CaptureLedger ledger;
  std::uint64_t recorded = 0;            // records of I/Os that began and ended meanwhile
  std::uint64_t ends_unseen = 0;         // of these: when and how it ended is not known
  std::uint64_t in_flight_at_start = 0;  // those that had begun before, with or without a record
  std::uint64_t in_flight_at_stop = 0;   // records of those that it left unfinished
  std::uint64_t out_of_order = 0;
  std::int64_t duration_ns = 0;
  std::int64_t cpu_ns = 0;  // the recorder's own, user and system
  long resident_kib = 0;    // at its highest
};

// The sink is not finished: what is told about the recording as a whole comes first.
// `tables` has the meta data; start time, devices, streams and losses are filled in. `started` is
// called when the recording runs; it ends when `is_over`, called about every 20 ms, says so.
[[nodiscard]] RecordingResult record(BlockTracer& tracer, HostNames& names, TraceTables& tables,
                                     RecordingSink& sink, const std::function<void()>& started,
                                     const std::function<bool()>& is_over);

// An I/O that touches a page of the sample.
struct SampledIo {
  std::uint32_t space = 0;  // as PageSampleOptions has it
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool is_write = false;
};

// Where they go. Whatever it throws ends the recording.
class PageSampleSink {
 public:
  virtual ~PageSampleSink() = default;
  // In the order of their time, but for what is some ms apart.
  virtual void add(const SampledIo& io) = 0;
  // What the kernel side samples by from now on; never more than before.
  [[nodiscard]] virtual std::uint64_t threshold() const = 0;
  // Several times a second: `all` is everything until now, in the sample or not.
  virtual void tick(std::int64_t now_ns, const page_accesses& all) = 0;
};

// Of the result, ledger and `recorded` are of the sampled I/Os; losses are noted as record() does.
[[nodiscard]] RecordingResult record_pages(BlockTracer& tracer, std::vector<Loss>& losses,
                                           PageSampleSink& sink,
                                           const std::function<void()>& started,
                                           const std::function<bool()>& is_over);

}  // namespace rigel
