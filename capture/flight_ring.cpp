#include "capture/flight_ring.hpp"

#include <algorithm>
#include <utility>

#include "traces/byte_sink.hpp"
#include "traces/byte_source.hpp"
#include "traces/trace_reader.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kSegments = 16;

}  // namespace

FlightRing::FlightRing(FlightRingOptions options, Written written)
    : options_{std::move(options)},
      written_{std::move(written)},
      names_{options_.path, options_.keep} {
  begin_segment(0);
}

FlightRing::~FlightRing() = default;

void FlightRing::begin_segment(std::int64_t now_ns) {
  Segment& segment = segments_.emplace_back();
  segment.begin_ns = now_ns;
  writer_ = std::make_unique<TraceWriter>(memory_sink(segment.bytes, "flight recorder"));
}

void FlightRing::write(const RecordBatch& batch, const TraceTables& tables) {
  writer_->write(batch, tables);
  if (options_.trigger_ns == 0) return;
  for (std::size_t i = 0; i < batch.size() && !was_slow_; ++i) {
    const std::int64_t end = batch.complete_ns[i];
    const std::int64_t start = batch.record(i).start_ns();
    was_slow_ = end != kNoTime && start >= quiet_until_ns_ && end - start >= options_.trigger_ns;
  }
}

void FlightRing::tick(std::int64_t now_ns, const TraceTables& tables) {
  const bool is_requested = is_requested_.exchange(false);
  if (is_requested || was_slow_ ||
      now_ns - segments_.back().begin_ns >= options_.span_ns / kSegments) {
    writer_->flush(tables);
    begin_segment(now_ns);
  }
  // The first one ends where the second begins.
  while (segments_.size() > 1 && segments_[1].begin_ns < now_ns - options_.span_ns) {
    segments_.pop_front();
  }
  if (!is_requested && !was_slow_) return;
  dump(tables);
  was_slow_ = false;
  // What follows from the same trouble is in the ring, should somebody want it.
  quiet_until_ns_ = now_ns + options_.span_ns;
}

void FlightRing::dump(const TraceTables& tables) {
  const std::int64_t begin_ns = segments_.front().begin_ns;
  const auto first_loss =
      std::find_if(tables.losses.begin(), tables.losses.end(),
                   [begin_ns](const Loss& loss) { return loss.to_ns > begin_ns; });
  TraceWriterOptions options;
  options.first_loss = static_cast<std::size_t>(first_loss - tables.losses.begin());
  const std::string path = names_.next();
  TraceWriter file{create_file(path), options};
  std::uint64_t records = 0;
  RecordBatch batch;
  for (const Segment& segment : segments_) {
    if (segment.bytes.empty()) continue;
    TraceReader reader{memory_source(segment.bytes, "flight recorder")};
    while (reader.next(batch)) {
      file.write(batch, tables);
      records += batch.size();
    }
  }
  file.finish(tables);
  names_.remove_old();
  written_(path, records);
}

void FlightRing::finish(const TraceTables& tables) {
  static_cast<void>(tables);  // nobody asked
}

}  // namespace rigel
