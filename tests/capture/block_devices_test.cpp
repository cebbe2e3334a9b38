#include "capture/block_devices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

namespace fs = std::filesystem;

// A /sys of our own, as the kernel lays it out.
class BlockDevicesTest : public testing::Test {
 protected:
  BlockDevicesTest() {
    disk("sda", "8:0");
    put("block/sda/size", "2097152");
    put("block/sda/queue/logical_block_size", "4096");
    put("block/sda/device/wwid", "naa.5000c500a1b2c3d4");
    put("block/sda/device/model", "FLASH ARRAY     ");
    fs::create_directories(root_ / "block/sda/mq");
    put("block/sda/sda1/dev", "8:1");
    put("block/sda/sda1/partition", "1");
    put("block/sda/sda1/start", "2048");
    put("block/sda/sda1/size", "4096");
    link("8:1", "block/sda/sda1");
    disk("dm-0", "253:0");
    put("block/dm-0/slaves/sda", "");
    put("block/dm-0/dm/name", "vg-data");
    put("block/dm-0/dm/uuid", "LVM-abc");
  }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream{root_ / path} << text << '\n';
  }
  void link(const std::string& number, const std::string& path) const {
    fs::create_directories(root_ / "dev/block");
    fs::create_symlink(root_ / path, root_ / "dev/block" / number);
  }
  void disk(const std::string& name, const std::string& number) const {
    put("block/" + name + "/dev", number);
    link(number, "block/" + name);
  }

  const ScratchFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(BlockDevicesTest, ADiskIsDescribed) {
  const BlockDevice disk = describe_device(kernel_device(8, 0), root_);
  EXPECT_EQ(disk.info.name, "sda");
  EXPECT_EQ(disk.info.size_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(disk.info.logical_block_bytes, 4096U);
  EXPECT_EQ(disk.info.wwid, "naa.5000c500a1b2c3d4");
  EXPECT_EQ(disk.info.model, "FLASH ARRAY");
  EXPECT_EQ(disk.info.parent, "");
  EXPECT_TRUE(disk.is_request_based);
  EXPECT_FALSE(disk.is_layered);
}

TEST_F(BlockDevicesTest, APartitionNamesItsDiskAndItsPlaceOnIt) {
  const BlockDevice partition = describe_device(kernel_device(8, 1), root_);
  EXPECT_EQ(partition.info.name, "sda1");
  EXPECT_EQ(partition.info.parent, "sda");
  EXPECT_EQ(partition.info.start_bytes, 2048U * 512);
  EXPECT_EQ(partition.info.wwid, "naa.5000c500a1b2c3d4");
  EXPECT_EQ(partition.info.logical_block_bytes, 4096U);
  EXPECT_TRUE(partition.is_request_based);
}

TEST_F(BlockDevicesTest, ADeviceOnTopOfOthersIsLayered) {
  const BlockDevice mapped = describe_device(kernel_device(253, 0), root_);
  EXPECT_TRUE(mapped.is_layered);
  EXPECT_FALSE(mapped.is_request_based);
  EXPECT_EQ(mapped.info.wwid, "LVM-abc");
}

// As multipathd sets them up: two SCSI paths to one LUN, a device mapper device over both; and a
// LUN that is known by its EUI-64.
TEST_F(BlockDevicesTest, PathsToOneLunAndTheirMultipathDeviceHaveOneWwid) {
  for (const auto& [name, number] : {std::pair{"sdb", "8:16"}, std::pair{"sdc", "8:32"}}) {
    disk(name, number);
    put(std::string{"block/"} + name + "/device/wwid", "naa.600140500a1b2c3d4e5f60718293a4b5");
    put(std::string{"block/dm-1/slaves/"} + name, "");
  }
  disk("dm-1", "253:1");
  put("block/dm-1/dm/uuid", "mpath-3600140500a1b2c3d4e5f60718293a4b5");
  put("block/dm-1/dm/name", "oradata01");
  const BlockDevice first = describe_device(kernel_device(8, 16), root_);
  const BlockDevice second = describe_device(kernel_device(8, 32), root_);
  const BlockDevice multipath = describe_device(kernel_device(253, 1), root_);
  EXPECT_EQ(first.info.wwid, "naa.600140500a1b2c3d4e5f60718293a4b5");
  EXPECT_EQ(second.info.wwid, first.info.wwid);
  EXPECT_EQ(multipath.info.wwid, first.info.wwid);
  EXPECT_NE(first.info.name, second.info.name);  // the path is not lost
  EXPECT_FALSE(first.is_layered);
  EXPECT_TRUE(multipath.is_layered);  // and so not recorded beside its paths
  disk("dm-2", "253:2");
  put("block/dm-2/dm/uuid", "mpath-20025385b71b00c2d");
  EXPECT_EQ(describe_device(kernel_device(253, 2), root_).info.wwid, "eui.0025385b71b00c2d");
}

TEST_F(BlockDevicesTest, ALoopDeviceIsLayeredWhenItsFileLiesOnADisk) {
  disk("loop0", "7:0");
  put("block/loop0/loop/backing_file", "/no/such/file");
  EXPECT_FALSE(describe_device(kernel_device(7, 0), root_).is_layered);
  disk("loop1", "7:1");
  put("block/loop1/loop/backing_file", "/dev/null");  // devtmpfs: memory
  EXPECT_FALSE(describe_device(kernel_device(7, 1), root_).is_layered);
}

TEST_F(BlockDevicesTest, ADeviceThatIsGoneKeepsItsNumberAsName) {
  EXPECT_EQ(describe_device(kernel_device(65, 16), root_).info.name, "65:16");
}

TEST_F(BlockDevicesTest, AllDisksArePresentedWithoutPartitions) {
  std::vector<std::string> names;
  for (const BlockDevice& disk : all_disks(root_)) names.push_back(disk.info.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"dm-0", "sda"}));
}

TEST_F(BlockDevicesTest, DevicesAreFoundByNumberAndOthersRefused) {
  EXPECT_EQ(resolve_device("8:1", root_).info.name, "sda1");
  EXPECT_THROW(static_cast<void>(resolve_device("/dev/null", root_)), Error);
  EXPECT_THROW(static_cast<void>(resolve_device("no-such-device", root_)), Error);
  EXPECT_THROW(static_cast<void>(resolve_device("8:9999999", root_)), Error);
}

}  // namespace
}  // namespace rigel
