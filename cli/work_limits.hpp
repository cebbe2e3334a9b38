// What ends long work on a trace early: SIGINT or SIGTERM, after which what is known is reported,
// and more memory than it may have, which is an Error that says what to do instead.
//
//   question.go_on = WorkLimits{memory_bytes, "sample the pages with --shards or --shards-pages"};
//
// Safe to ask from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace rigel {

// Half of the machine's memory.
[[nodiscard]] std::uint64_t usual_memory_limit_bytes();

class WorkLimits {
 public:
  // `advice` completes the message about memory.
  WorkLimits(std::uint64_t memory_bytes, std::string advice);
  // False after a signal. Throws Error when this process holds more than the limit.
  bool operator()() const;

 private:
  std::uint64_t memory_bytes_;
  std::string advice_;
  const std::atomic<bool>& stop_;
};

}  // namespace rigel
