#include "cli/live_output.hpp"

#include <cerrno>
#include <cstdio>

#include "traces/error.hpp"

namespace rigel {

void print_live(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return;
  }
  if (errno == EPIPE) throw ReaderGone{"standard output: closed by its reader"};
  throw system_error("standard output", "cannot write", errno);
}

}  // namespace rigel
