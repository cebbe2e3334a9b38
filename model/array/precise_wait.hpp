// Waiting for a moment of the monotonic clock, to the microsecond where the host can: sleeps as
// long as it wakes up in time, and looks at the clock for the rest. One thread; throws nothing.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>

namespace rigel {

class PreciseWait {
 public:
  // Makes the calling thread a real-time one where it may be, with the least timer slack in any
  // case, and measures how late it wakes up; takes 10 ms.
  PreciseWait();

  // Of that clock.
  [[nodiscard]] static std::int64_t now_ns();

  // Waits until then or until one of the descriptors has something, which poll(2) notes in them:
  // true. `precisely`: not a moment later than can be helped.
  [[nodiscard]] bool until(std::int64_t until_ns, bool precisely, std::span<pollfd> from) const;

 private:
  std::int64_t wake_up_ns_ = 0;
};

}  // namespace rigel
