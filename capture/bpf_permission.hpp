// Why BPF programs cannot be loaded here, and what to do about it. What of the host cannot be read
// counts as absent; there are no errors.
#pragma once

#include <cstdint>
#include <string>

namespace rigel {

// What of the host decides; read once by host_facts(), made up in tests.
struct HostFacts {
  bool has_btf = false;            // /sys/kernel/btf/vmlinux
  std::uint64_t capabilities = 0;  // CapEff of /proc/self/status
  std::string lockdown;            // the mode in force: "none", "integrity", "confidentiality"
  std::string kernel;              // uname -r
};

[[nodiscard]] HostFacts host_facts();
// One line with cause and remedy; empty when nothing stands in the way.
[[nodiscard]] std::string obstacle_to_capture(const HostFacts& host);

}  // namespace rigel
