// The writing side of a recording: a thread that takes chunks of events from a bounded queue,
// assembles them and writes the records. Chunks are recycled, so that memory is bounded.
// take_empty() and submit() are for the draining thread; finish() joins and throws what went wrong
// on the writing side, as does submit() once it did.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "capture/recorder.hpp"

namespace rigel {

struct EventChunk {
  std::vector<block_event> events;
  std::vector<Loss> losses;
  std::uint64_t watermark_ns = 0;  // of BlockTracer::oldest_under_way(); 0: none taken
};

class EventWriter {
 public:
  static constexpr std::size_t kChunkEvents = 8192;

  EventWriter(EventAssembler::Options options, HostNames& names, TraceTables& tables,
              RecordingSink& sink);
  ~EventWriter();

  // An empty chunk to fill; none while the writing side has all of them.
  [[nodiscard]] std::optional<EventChunk> take_empty();
  void submit(EventChunk chunk);
  // No more chunks: waits until all is written, then hands the sink nothing more.
  void finish();

  // After finish().
  [[nodiscard]] std::uint64_t at_start() const { return at_start_; }
  [[nodiscard]] std::uint64_t at_stop() const { return at_stop_; }
  [[nodiscard]] std::uint64_t ends_unseen() const { return ends_unseen_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t out_of_order() const { return assembler_.out_of_order(); }

 private:
  void run();
  void write(const EventChunk& chunk);
  void write_batch();
  void rethrow_failure();

  std::uint64_t start_ns_;
  EventAssembler assembler_;
  TraceTables& tables_;
  RecordingSink& sink_;
  RecordBatch batch_;
  std::uint64_t events_ = 0;
  std::uint64_t at_start_ = 0;
  std::uint64_t at_stop_ = 0;
  std::uint64_t ends_unseen_ = 0;

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<EventChunk> full_;
  std::vector<EventChunk> empty_;
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace rigel
