#include "capture/privileges.hpp"

#include <cap-ng.h>
#include <linux/capability.h>

#include <array>
#include <cerrno>
#include <span>

#include "traces/error.hpp"

namespace rigel {
namespace {

void keep_only(std::span<const unsigned> wanted) {
  capng_clear(CAPNG_SELECT_CAPS);
  if (capng_get_caps_process() != 0) throw system_error("capabilities", "cannot read", errno);
  std::array<bool, CAP_LAST_CAP + 1> is_held{};
  for (const unsigned capability : wanted) {
    is_held[capability] = capng_have_capability(CAPNG_EFFECTIVE, capability) != 0;
  }
  capng_clear(CAPNG_SELECT_CAPS);
  for (const unsigned capability : wanted) {
    if (!is_held[capability]) continue;
    capng_update(CAPNG_ADD, static_cast<capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED),
                 capability);
  }
  if (capng_apply(CAPNG_SELECT_CAPS) != 0) throw system_error("capabilities", "cannot drop", errno);
}

}  // namespace

void drop_draining_privileges() {
  // SIGTERM to a command that runs as somebody else takes CAP_KILL.
  static constexpr std::array<unsigned, 3> kWanted{CAP_BPF, CAP_PERFMON, CAP_KILL};
  keep_only(kWanted);
}

void drop_writing_privileges() {
  static constexpr std::array<unsigned, 3> kWanted{CAP_SYS_PTRACE, CAP_DAC_OVERRIDE,
                                                   CAP_DAC_READ_SEARCH};
  keep_only(kWanted);
}

}  // namespace rigel
