#include "replay/write_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A file in the place of a device, and a /sys and /proc of the test's own.
class WriteGuardTest : public testing::Test {
 protected:
  WriteGuardTest() {
    write(target_, std::string(4U << 20, '\0'));
    paths_.sysfs = root_ / "sys";
    paths_.mountinfo = root_ / "mountinfo";
    paths_.swaps = root_ / "swaps";
    paths_.proc = root_ / "proc";
    fs::create_directories(root_ / "sys/block");
    write(paths_.mountinfo, "");
    write(paths_.swaps, "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
  }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << text;
  }
  void plant(std::size_t offset, const std::string& bytes) {
    std::fstream file{target_, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }
  WriteObjections objections() { return write_objections(target_, paths_); }

  const ScratchFolder folder_;
  const fs::path root_ = folder_.path();
  const fs::path target_ = root_ / "target";
  WriteGuardPaths paths_;
};

TEST_F(WriteGuardTest, BlankTargetMayBeWritten) {
  EXPECT_THAT(objections().in_use, IsEmpty());
  EXPECT_THAT(objections().labels, IsEmpty());
  EXPECT_NO_THROW(refuse_unless_writable(target_, {}, paths_));
}

TEST_F(WriteGuardTest, AFileWithDataInItIsRefusedUnlessNamed) {
  plant(3U << 20, "what a database keeps there");
  ASSERT_THAT(objections().labels, ElementsAre(HasSubstr("data in it")));
  EXPECT_THROW(refuse_unless_writable(target_, {}, paths_), Error);
  const std::vector<std::string> named{target_};
  EXPECT_NO_THROW(refuse_unless_writable(target_, named, paths_));
}

TEST_F(WriteGuardTest, Ext4IsRefusedUnlessNamedLetterByLetter) {
  // Superblock at 1024: magic 0xef53 at 56, revision 1 at 76, extents (0x40) at 96.
  plant(1024 + 4, std::string("\x00\x10\x00\x00", 4));
  plant(1024 + 56, "\x53\xef");
  plant(1024 + 76, "\x01");
  plant(1024 + 96, "\x40");
  ASSERT_THAT(objections().labels, ElementsAre("it carries ext4"));
  EXPECT_THROW(refuse_unless_writable(target_, {}, paths_), Error);
  const std::vector<std::string> other{(root_ / "." / "target").string()};
  EXPECT_THROW(refuse_unless_writable(target_, other, paths_), Error);
  const std::vector<std::string> exactly{target_.string()};
  EXPECT_NO_THROW(refuse_unless_writable(target_, exactly, paths_));
}

TEST_F(WriteGuardTest, AsmDiskHeaderIsFound) {
  plant(32, "ORCLDISKDATA01");
  EXPECT_THAT(objections().labels, ElementsAre(HasSubstr("oracleasm")));
}

TEST_F(WriteGuardTest, SwapSignatureIsFound) {
  plant(4096 - 10, "SWAPSPACE2");
  plant(1024, std::string("\x01\x00\x00\x00\xff\x03\x00\x00", 8));
  EXPECT_THAT(objections().labels, ElementsAre(HasSubstr("swap")));
}

TEST_F(WriteGuardTest, PartitionTableIsFound) {
  // One Linux partition of 2,048 sectors from sector 2,048.
  plant(446, std::string("\x00\x00\x00\x00\x83\x00\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00", 16));
  plant(510, "\x55\xaa");
  EXPECT_THAT(objections().labels, ElementsAre(HasSubstr("dos partition table")));
}

TEST_F(WriteGuardTest, SwapFileIsInUseWhateverIsSaid) {
  write(paths_.swaps,
        "Filename Type Size Used Priority\n" + target_.string() + " file 4096 0 -2\n");
  EXPECT_THAT(objections().in_use, ElementsAre(target_.string() + " is swapped on"));
  const std::vector<std::string> exactly{target_.string()};
  EXPECT_THROW(refuse_unless_writable(target_, exactly, paths_), Error);
}

TEST_F(WriteGuardTest, StorageOfALoopDeviceIsInUse) {
  write(root_ / "sys/block/loop7/loop/backing_file", target_.string() + "\n");
  EXPECT_THAT(objections().in_use, ElementsAre("it is the storage of loop7"));
}

// A disk, 8:16, whose partition, 8:17, is mounted and under LVM.
TEST_F(WriteGuardTest, MountsAndHoldersOfAPartitionAreItsDisksToo) {
  const fs::path disk = root_ / "sys/devices/host3/block/sdb";
  write(disk / "dev", "8:16\n");
  write(disk / "sdb1/dev", "8:17\n");
  write(disk / "sdb1/partition", "1\n");
  fs::create_directories(root_ / "sys/dev/block");
  fs::create_symlink(disk, root_ / "sys/dev/block/8:16");
  fs::create_symlink(disk / "sdb1", root_ / "sys/dev/block/8:17");
  write(disk / "sdb1/holders/dm-5", "");
  write(root_ / "sys/block/dm-5/dm/name", "vg-data\n");
  write(paths_.mountinfo, "36 35 8:17 / /u02 rw,noatime - ext4 /dev/sdb1 rw\n");
  EXPECT_THAT(uses_of_device(makedev(8, 16), paths_),
              ElementsAre("sdb1 is mounted on /u02", "sdb1 is held by dm-5 (vg-data)"));
  EXPECT_THAT(uses_of_device(makedev(8, 32), paths_), IsEmpty());
}

TEST_F(WriteGuardTest, AProcessThatHasItOpenIsNamed) {
  fs::create_directories(root_ / "proc/4711/fd");
  fs::create_symlink(target_, root_ / "proc/4711/fd/7");
  write(root_ / "proc/4711/comm", "ora_dbw0_PROD\n");
  fs::create_directories(root_ / "proc/4712/fd");
  fs::create_symlink(paths_.swaps, root_ / "proc/4712/fd/3");
  EXPECT_THAT(objections().in_use, ElementsAre("it is open in process 4711 (ora_dbw0_PROD)"));
}

TEST_F(WriteGuardTest, MissingTargetIsAnError) {
  EXPECT_THROW(static_cast<void>(write_objections(root_ / "nothing", paths_)), Error);
}

}  // namespace
}  // namespace rigel
