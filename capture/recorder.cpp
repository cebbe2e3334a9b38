#include "capture/recorder.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capture/event_writer.hpp"

namespace rigel {
namespace {

constexpr int kDrainMilliseconds = 20;
constexpr std::uint64_t kWatermarkNs = 200'000'000;
constexpr std::uint64_t kLossWindowNs = 1'000'000'000;

// Turns the growing counts of losses into windows of time.
class LossWatch {
 public:
  LossWatch(std::uint64_t start_ns, std::vector<Loss>& into)
      : start_ns_{start_ns}, from_ns_{start_ns}, into_{into} {}

  void look(const block_losses& now, std::uint64_t at_ns, bool is_last) {
    if (at_ns - from_ns_ < kLossWindowNs && !is_last) return;
    struct Cause {
      const char* name;
      std::uint64_t before;
      std::uint64_t after;
    };
    for (const Cause& cause : {Cause{"ring full", last_.ring_full, now.ring_full},
                               Cause{"too many in flight", last_.no_slot, now.no_slot}}) {
      if (cause.after == cause.before) continue;
      into_.push_back({.from_ns = static_cast<std::int64_t>(from_ns_ - start_ns_),
                       .to_ns = static_cast<std::int64_t>(at_ns - start_ns_),
                       .count = cause.after - cause.before,
                       .cause = cause.name});
    }
    last_ = now;
    from_ns_ = at_ns;
  }

 private:
  std::uint64_t start_ns_;
  std::uint64_t from_ns_;
  block_losses last_{};
  std::vector<Loss>& into_;
};

std::int64_t cpu_ns(const rusage& usage) {
  const auto ns = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

rusage own_usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

std::int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Moves events from the ring to the writing side.
class Pump {
 public:
  Pump(BlockTracer& tracer, EventWriter& writer, std::uint64_t start_ns)
      : tracer_{tracer},
        writer_{writer},
        marked_ns_{start_ns},
        losses_{start_ns, pending_losses_} {}

  void run() {
    const std::uint64_t now = monotonic_ns();
    const bool is_time = now - marked_ns_ >= kWatermarkNs;
    // Before the ring is read: what ended before this is in there.
    const std::uint64_t watermark = is_time ? tracer_.oldest_under_way() : 0;
    losses_.look(tracer_.losses(), now, false);
    for (bool more = true; more;) {
      if (!has_chunk()) return;  // the ring keeps the events meanwhile
      more = fill();
    }
    // Little is handed over at once too: names of processes are best asked for while they live.
    if (!has_chunk() || (!is_time && chunk_->events.empty())) return;
    if (is_time) marked_ns_ = now;
    submit(watermark);
  }

  // Everything that is left; the tracer has stopped.
  void finish() {
    losses_.look(tracer_.losses(), monotonic_ns(), true);
    for (bool more = true; more;) {
      await_chunk();
      more = fill();
    }
    for (const block_event& event : tracer_.in_flight()) {
      await_chunk();
      chunk_->events.push_back(event);
      if (chunk_->events.size() >= EventWriter::kChunkEvents) submit(0);
    }
    await_chunk();
    submit(0);
  }

 private:
  bool has_chunk() {
    if (!chunk_) chunk_ = writer_.take_empty();
    return chunk_.has_value();
  }
  void await_chunk() {
    while (!has_chunk()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  bool fill() {
    const std::size_t room = EventWriter::kChunkEvents - chunk_->events.size();
    const bool more = tracer_.drain(chunk_->events, room);
    if (chunk_->events.size() >= EventWriter::kChunkEvents) submit(0);
    return more;
  }
  void submit(std::uint64_t watermark) {
    chunk_->watermark_ns = watermark;
    chunk_->losses = std::move(pending_losses_);
    pending_losses_.clear();
    writer_.submit(std::move(*chunk_));
    chunk_.reset();
  }

  BlockTracer& tracer_;
  EventWriter& writer_;
  std::optional<EventChunk> chunk_;
  std::uint64_t marked_ns_;
  std::vector<Loss> pending_losses_;
  LossWatch losses_;
};

// Moves what is sampled to the sink.
class PageDrain {
 public:
  PageDrain(BlockTracer& tracer, PageSampleSink& sink) : tracer_{tracer}, sink_{sink} {}

  void run() {
    for (bool more = true; more;) {
      events_.clear();
      more = tracer_.drain(events_, EventWriter::kChunkEvents);
      hand_over();
    }
  }
  [[nodiscard]] std::uint64_t handed_over() const { return handed_over_; }

 private:
  void hand_over() {
    // Each CPU's ring is in order, but not one with the other.
    std::sort(events_.begin(), events_.end(),
              [](const block_event& a, const block_event& b) { return a.queue_ns < b.queue_ns; });
    for (const block_event& event : events_) {
      sink_.add({.space = event.device,
                 .offset_bytes = event.sector * kSectorBytes,
                 .length_bytes = event.length_bytes,
                 .is_write = (event.op_flags & 0xff) != kReqRead});
    }
    handed_over_ += events_.size();
    if (!events_.empty()) tracer_.sample_below(sink_.threshold());
  }

  static constexpr std::uint64_t kSectorBytes = 512;  // of the block layer
  static constexpr std::uint32_t kReqRead = 0;        // REQ_OP_READ

  BlockTracer& tracer_;
  PageSampleSink& sink_;
  std::vector<block_event> events_;
  std::uint64_t handed_over_ = 0;
};

void note_usage(const rusage& before, RecordingResult& result) {
  const rusage after = own_usage();
  result.cpu_ns = cpu_ns(after) - cpu_ns(before);
  result.resident_kib = after.ru_maxrss;
}

}  // namespace

RecordingResult record(BlockTracer& tracer, HostNames& names, TraceTables& tables,
                       RecordingSink& sink, const std::function<void()>& started,
                       const std::function<bool()>& is_over) {
  tables.meta.clock = "CLOCK_MONOTONIC";
  const rusage before = own_usage();
  const std::uint64_t start_ns = tracer.start();
  tables.meta.start_wall_ns = wall_ns();
  EventWriter writer{{.start_ns = start_ns, .flavour = tracer.flavour()}, names, tables, sink};
  started();
  Pump pump{tracer, writer, start_ns};
  while (!is_over()) {
    tracer.wait(kDrainMilliseconds);
    pump.run();
  }
  const std::uint64_t stop_ns = monotonic_ns();
  tracer.stop();
  pump.finish();
  writer.finish();

  RecordingResult result;
  result.ledger = tracer.ledger();
  result.in_flight_at_start = result.ledger.in_flight_at_start();
  result.in_flight_at_stop = writer.at_stop();
  result.ends_unseen = writer.ends_unseen();
  result.recorded = writer.events() - writer.at_start() - writer.at_stop();
  result.out_of_order = writer.out_of_order();
  result.duration_ns = static_cast<std::int64_t>(stop_ns - start_ns);
  note_usage(before, result);
  return result;
}

RecordingResult record_pages(BlockTracer& tracer, std::vector<Loss>& losses, PageSampleSink& sink,
                             const std::function<void()>& started,
                             const std::function<bool()>& is_over) {
  const rusage before = own_usage();
  const std::uint64_t start_ns = tracer.start();
  started();
  LossWatch watch{start_ns, losses};
  PageDrain drain{tracer, sink};
  while (!is_over()) {
    tracer.wait(kDrainMilliseconds);
    const std::uint64_t now = monotonic_ns();
    watch.look(tracer.losses(), now, false);
    drain.run();
    sink.tick(static_cast<std::int64_t>(now - start_ns), tracer.accesses());
  }
  const std::uint64_t stop_ns = monotonic_ns();
  tracer.stop();
  drain.run();
  watch.look(tracer.losses(), stop_ns, true);

  RecordingResult result;
  result.ledger = tracer.ledger();
  result.recorded = drain.handed_over();
  result.duration_ns = static_cast<std::int64_t>(stop_ns - start_ns);
  note_usage(before, result);
  return result;
}

}  // namespace rigel
