#include "replay/read_ahead.hpp"

#include <pthread.h>

#include <chrono>
#include <exception>

namespace rigel {

namespace {
constexpr std::size_t kChunkIos = 512;
constexpr auto kFullQueuePause = std::chrono::milliseconds{2};
constexpr auto kLongestFill = std::chrono::milliseconds{50};
}  // namespace

ReadAhead::ReadAhead(RecordSource& source, LatencyTable& table, std::size_t queues)
    : source_(source), table_(table), sorted_(queues) {
  for (std::size_t i = 0; i < queues; ++i) {
    queues_.push_back(std::make_unique<IoQueue>(kQueuedIos / queues));
  }
  thread_ = std::thread{[this] { run(); }};
}

ReadAhead::~ReadAhead() {
  stop();
}

void ReadAhead::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void ReadAhead::wait_until_filled() {
  const auto until = std::chrono::steady_clock::now() + kLongestFill;
  while (!filled_ && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::microseconds{200});
  }
}

void ReadAhead::run() {
  pthread_setname_np(pthread_self(), "rigel-read");
  try {
    std::vector<PlannedIo> chunk(kChunkIos);
    while (!stop_) {
      const std::size_t count = source_.next(chunk);
      if (count == 0) break;
      std::uint32_t classes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        PlannedIo& io = chunk[i];
        io.cell = table_.cell_of(io);
        if (io.op == IoOp::kRead || io.op == IoOp::kWrite) {
          classes |= 1U << LatencyTable::size_class(io.length_bytes);
        }
      }
      if ((classes & ~size_classes_.load(std::memory_order_relaxed)) != 0) size_classes_ |= classes;
      distribute({chunk.data(), count});
    }
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  filled_ = true;
  for (const auto& queue : queues_) queue->close();
}

void ReadAhead::distribute(std::span<const PlannedIo> ios) {
  if (queues_.size() == 1) return push_all(0, ios);
  for (auto& part : sorted_) part.clear();
  for (const PlannedIo& io : ios) sorted_[io.target].push_back(io);
  for (std::size_t target = 0; target < sorted_.size(); ++target) push_all(target, sorted_[target]);
}

void ReadAhead::push_all(std::size_t target, std::span<const PlannedIo> ios) {
  while (true) {
    ios = ios.subspan(queues_[target]->push(ios));
    if (ios.empty() || stop_) return;
    filled_ = true;
    std::this_thread::sleep_for(kFullQueuePause);
  }
}

}  // namespace rigel
