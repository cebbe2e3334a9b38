// What a target is called by the kernel and what it hangs on, from /sys.
// Pure but for reading /sys; safe from any thread; nothing throws but for want of memory.
#pragma once

#include <cstdint>
#include <string>

#include "replay/target.hpp"

namespace rigel {

struct DeviceNames {
  std::string name;        // "sdb", "nvme0n1"; a file's path
  std::string controller;  // "host3", "nvme0", "virtio2"; a driver's name for what has none; "file"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
};
[[nodiscard]] DeviceNames names_of(const Target& target);

// The controller in a device's place in /sys: the nearest SCSI host, NVMe controller or virtio
// device above it, or the device's own name without its number.
[[nodiscard]] std::string controller_of(const std::string& sysfs_path);

}  // namespace rigel
