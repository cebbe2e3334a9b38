#include "capture/event_writer.hpp"

#include <pthread.h>

#include <utility>

#include "capture/privileges.hpp"

namespace rigel {
namespace {

constexpr std::size_t kChunks = 8;

}  // namespace

EventWriter::EventWriter(EventAssembler::Options options, HostNames& names, TraceTables& tables,
                         RecordingSink& sink)
    : start_ns_{options.start_ns},
      assembler_{std::move(options), names, tables},
      tables_{tables},
      sink_{sink} {
  empty_.resize(kChunks);
  for (EventChunk& chunk : empty_) chunk.events.reserve(kChunkEvents);
  thread_ = std::thread{[this] { run(); }};
}

EventWriter::~EventWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
    full_.clear();
  }
  has_work_.notify_one();
  thread_.join();
}

void EventWriter::rethrow_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::optional<EventChunk> EventWriter::take_empty() {
  const std::lock_guard lock{mutex_};
  rethrow_failure();
  if (empty_.empty()) return std::nullopt;
  EventChunk chunk = std::move(empty_.back());
  empty_.pop_back();
  return chunk;
}

void EventWriter::submit(EventChunk chunk) {
  {
    const std::lock_guard lock{mutex_};
    rethrow_failure();
    full_.push_back(std::move(chunk));
  }
  has_work_.notify_one();
}

void EventWriter::finish() {
  {
    const std::lock_guard lock{mutex_};
    is_over_ = true;
  }
  has_work_.notify_one();
  thread_.join();
  rethrow_failure();
}

void EventWriter::run() {
  pthread_setname_np(pthread_self(), "rigel-writer");
  try {
    drop_writing_privileges();
    for (;;) {
      EventChunk chunk;
      {
        std::unique_lock lock{mutex_};
        has_work_.wait(lock, [this] { return is_over_ || !full_.empty(); });
        if (full_.empty()) break;
        chunk = std::move(full_.front());
        full_.pop_front();
      }
      write(chunk);
      chunk.events.clear();
      chunk.losses.clear();
      chunk.watermark_ns = 0;
      const std::lock_guard lock{mutex_};
      empty_.push_back(std::move(chunk));
    }
    assembler_.release_all(batch_);
    write_batch();
  } catch (...) {
    const std::lock_guard lock{mutex_};
    failure_ = std::current_exception();
  }
}

void EventWriter::write(const EventChunk& chunk) {
  for (const block_event& event : chunk.events) {
    if ((event.seen & RIGEL_SEEN_AT_START) != 0) ++at_start_;
    if (event.status == RIGEL_STATUS_UNSEEN)
      ++ends_unseen_;
    else if (event.complete_ns == 0)
      ++at_stop_;
  }
  events_ += chunk.events.size();
  tables_.losses.insert(tables_.losses.end(), chunk.losses.begin(), chunk.losses.end());
  assembler_.add(chunk.events);
  if (chunk.watermark_ns == 0 && !assembler_.is_full()) return;
  assembler_.release(chunk.watermark_ns, batch_);
  write_batch();
  sink_.tick(static_cast<std::int64_t>(monotonic_ns() - start_ns_), tables_);
}

void EventWriter::write_batch() {
  if (!batch_.empty()) sink_.write(batch_, tables_);
}

}  // namespace rigel
