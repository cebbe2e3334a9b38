#include "replay/device_names.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

// Places in /sys as kernels make them.
TEST(ControllerOf, IsTheNearestControllerAboveOrTheDriver) {
  EXPECT_EQ(controller_of("/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/"
                          "block/sda"),
            "host0");
  EXPECT_EQ(controller_of("/sys/devices/pci0000:3a/0000:3b:00.0/nvme/nvme1/nvme1n1"), "nvme1");
  EXPECT_EQ(controller_of("/sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1"),
            "nvme-subsys2");
  EXPECT_EQ(controller_of("/sys/devices/pci0000:00/0000:00:05.0/virtio2/block/vda"), "virtio2");
  EXPECT_EQ(controller_of("/sys/devices/virtual/block/loop12"), "loop");
  EXPECT_EQ(controller_of("/sys/devices/virtual/block/dm-3"), "dm");
}

}  // namespace
}  // namespace rigel
