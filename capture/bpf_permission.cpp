#include "capture/bpf_permission.hpp"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>

namespace rigel {
namespace {

constexpr std::uint64_t bit(int capability) {
  return std::uint64_t{1} << capability;
}

// The mode in brackets: "none [integrity] confidentiality".
std::string lockdown_mode() {
  std::ifstream file{"/sys/kernel/security/lockdown"};
  std::string line;
  std::getline(file, line);
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1) : "";
}

std::uint64_t effective_capabilities() {
  std::ifstream file{"/proc/self/status"};
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("CapEff:", 0) != 0) continue;
    const std::size_t digits = line.find_first_not_of(" \t", 7);
    std::uint64_t set = 0;
    if (digits != std::string::npos) {
      std::from_chars(line.data() + digits, line.data() + line.size(), set, 16);
    }
    return set;
  }
  return 0;
}

bool is_older_than(const std::string& kernel, int major, int minor) {
  int has_major = 0;
  int has_minor = 0;
  return std::sscanf(kernel.c_str(), "%d.%d", &has_major, &has_minor) == 2 &&
         (has_major < major || (has_major == major && has_minor < minor));
}

}  // namespace

HostFacts host_facts() {
  HostFacts host;
  host.has_btf = access("/sys/kernel/btf/vmlinux", F_OK) == 0;
  host.capabilities = effective_capabilities();
  host.lockdown = lockdown_mode();
  struct utsname names = {};
  if (uname(&names) == 0) host.kernel = names.release;
  return host;
}

std::string obstacle_to_capture(const HostFacts& host) {
  if (is_older_than(host.kernel, 5, 12)) {
    return fmt::format(
        "kernel {} is too old: recording needs 5.12 or later (compare-and-swap in BPF, commit "
        "5ffa25502b5a)",
        host.kernel);
  }
  if (!host.has_btf) {
    return fmt::format(
        "kernel {} carries no BTF (/sys/kernel/btf/vmlinux): boot a kernel built "
        "with CONFIG_DEBUG_INFO_BTF=y, as distribution kernels are",
        host.kernel);
  }
  const bool all = (host.capabilities & bit(CAP_SYS_ADMIN)) != 0;
  std::string missing;
  for (const auto& [capability, name] :
       {std::pair{CAP_BPF, "CAP_BPF"}, std::pair{CAP_PERFMON, "CAP_PERFMON"}}) {
    if (all || (host.capabilities & bit(capability)) != 0) continue;
    missing += missing.empty() ? name : fmt::format(" and {}", name);
  }
  if (!missing.empty()) {
    return fmt::format(
        "no permission to load BPF programs: {} missing; run rigel capture as root, "
        "or once 'setcap cap_bpf,cap_perfmon+ep' on the rigel binary",
        missing);
  }
  if (host.lockdown == "confidentiality") {
    return "kernel lockdown is in 'confidentiality' mode, in which no BPF program may read kernel "
           "memory: boot with lockdown=integrity, or without secure boot";
  }
  return {};
}

}  // namespace rigel
