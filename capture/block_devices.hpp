// What /sys says of block devices. Reads a few small files a call and keeps nothing; `sys_root` is
// another place than /sys in tests. Devices may vanish at any time: what cannot be read is empty.
// resolve_device throws Error for what is no block device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel {

// dev_t as the kernel itself writes it: 12 bits of major, 20 of minor.
[[nodiscard]] constexpr std::uint32_t kernel_device(std::uint32_t major, std::uint32_t minor) {
  return major << 20 | minor;
}

struct BlockDevice {
  std::uint32_t number = 0;  // kernel_device()
  DeviceInfo info;
  bool is_request_based = false;  // it issues requests; otherwise it takes bios only
  // Its I/O becomes I/O of another block device, where it would be seen a second time.
  bool is_layered = false;
};

// Always gives an answer; the name of a device that is not there is "major:minor".
[[nodiscard]] BlockDevice describe_device(std::uint32_t number,
                                          const std::string& sys_root = "/sys");

// "/dev/sda", "sda", "/dev/mapper/data", "8:0".
[[nodiscard]] BlockDevice resolve_device(const std::string& text,
                                         const std::string& sys_root = "/sys");

// All disks (no partitions) that there are now.
[[nodiscard]] std::vector<BlockDevice> all_disks(const std::string& sys_root = "/sys");

}  // namespace rigel
