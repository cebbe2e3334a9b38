// Reads a source ahead of the threads that issue its I/O, on a thread of its own, into one queue
// for each target or one for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "replay/io_queue.hpp"
#include "replay/latency_table.hpp"
#include "replay/record_source.hpp"

namespace rigel {

class ReadAhead {
 public:
  // Queues of all targets together: 56 bytes for each I/O.
  static constexpr std::size_t kQueuedIos = std::size_t{256} << 10;

  // Starts reading. `source` and `table` must outlive it. `queues`: one for each target, or one for
  // all of them in the source's order.
  ReadAhead(RecordSource& source, LatencyTable& table, std::size_t queues);
  ~ReadAhead();  // stops

  [[nodiscard]] std::size_t queues() const { return queues_.size(); }
  [[nodiscard]] IoQueue& queue(std::size_t target) { return *queues_[target]; }
  // Returns when the queues are well filled or the source has ended, at the latest after 50 ms.
  void wait_until_filled();
  // Ends the reading, whether there is more or not.
  void stop();
  // Why reading ended early; valid after stop().
  [[nodiscard]] const std::string& error() const { return error_; }
  // Bit n: there are reads or writes of size class n (LatencyTable::size_class).
  [[nodiscard]] const std::atomic<std::uint32_t>& size_classes() const { return size_classes_; }

 private:
  void run();
  void distribute(std::span<const PlannedIo> ios);
  void push_all(std::size_t target, std::span<const PlannedIo> ios);

  RecordSource& source_;
  LatencyTable& table_;
  std::vector<std::unique_ptr<IoQueue>> queues_;
  std::vector<std::vector<PlannedIo>> sorted_;  // a chunk's I/Os by target
  std::atomic<std::uint32_t> size_classes_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> filled_{false};
  std::string error_;
  std::thread thread_;
};

}  // namespace rigel
