// SIGINT and SIGTERM as a flag that long work looks at: the first one asks it to finish and report,
// the second ends the process at once. Install once, before threads are started.
#pragma once

#include <atomic>

namespace rigel {

// Installs the handlers (the first time) and returns the flag they set.
[[nodiscard]] const std::atomic<bool>& stop_flag();
// 128 + the signal that set the flag (130 or 143); 0 when none came.
[[nodiscard]] int stop_exit_code();

}  // namespace rigel
