// One issuing thread of a replay: its engine, its targets, and what the kernel must be told about
// the thread. Made and destroyed by the replayer's thread, between which it runs on its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "replay/issuer.hpp"
#include "replay/start_gate.hpp"
#include "replay/target.hpp"
#include "replay/uring_engine.hpp"

namespace rigel {

class IssuingThread {
 public:
  struct Share {
    std::vector<IssuerTarget> targets;
    int cpu = -1;  // to be pinned to; -1: none
  };
  IssuingThread(Share share, std::span<const Target> targets, const IssuerOptions& options,
                LatencyTable& table, const DataPattern& pattern,
                const std::atomic<std::uint32_t>& size_classes, StartGate& gate);
  // Waits for it to end; throws what kept it from starting.
  void join();

  [[nodiscard]] const IssuerResult& result() const { return result_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t buffer_bytes() const { return engine_->buffer_bytes(); }
  // Bytes of block I/O that the thread itself started; false: the kernel does not tell.
  [[nodiscard]] bool knows_own_bytes() const { return knows_own_bytes_; }
  [[nodiscard]] std::uint64_t own_bytes() const { return own_bytes_; }

 private:
  void run(StartGate& gate) noexcept;
  void prepare_thread();
  void reserve_buffers();

  Share share_;
  IssuerOptions options_;
  LatencyTable& table_;
  const DataPattern& pattern_;
  const std::atomic<std::uint32_t>& size_classes_;
  MonotonicClock clock_;
  std::unique_ptr<UringEngine> engine_;
  IssuerResult result_;
  std::vector<std::string> notes_;
  bool knows_own_bytes_ = false;
  std::uint64_t own_bytes_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace rigel
