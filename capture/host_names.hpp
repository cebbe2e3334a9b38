// HostNames of this host: /sys for devices, /proc for processes, the cgroup filesystem.
// Asked soon after a task's first I/O; of a task that is gone by then the kernel's name remains.
// One thread; throws nothing but allocation.
#pragma once

#include <string>
#include <unordered_map>

#include "capture/event_assembler.hpp"
#include "capture/process_role.hpp"

namespace rigel {

class RunningHost final : public HostNames {
 public:
  explicit RunningHost(const ProcessRoles& roles);  // which must outlive this

  BlockDevice device(std::uint32_t number) override;
  StreamInfo stream(std::uint32_t tgid, std::uint32_t tid, const std::string& comm,
                    std::uint64_t cgroup) override;

 private:
  std::string cgroup_path(std::uint64_t id);

  const ProcessRoles& roles_;
  std::unordered_map<std::uint64_t, std::string> cgroups_;
};

}  // namespace rigel
