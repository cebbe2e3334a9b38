// Where the issuing threads of a replay, or of a point of an ORION run, wait for each other, so
// that they start together. Made by the thread that opens it; it must outlive the threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>

namespace rigel {

struct StartGate {
  explicit StartGate(std::ptrdiff_t threads) : ready(threads), open(1) {}
  std::latch ready;
  std::latch open;
  std::int64_t start_ns = 0;  // written before `open`
  std::atomic<bool> cancelled{false};
};

}  // namespace rigel
