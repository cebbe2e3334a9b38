// Decides whether a device or file may be written, before anything is opened for writing.
//
// Two kinds of objection. In use: mounted, swapped on, held by another block device (device mapper,
// md, LVM, a loop device on top), or open in another process, it or one of its partitions; nothing
// overrides that. Labelled:
// something is on it that libblkid knows (a filesystem, a partition table, an LVM, RAID or ASM
// label), or it is a file with data in it, as a database's are; that is overridden by naming
// exactly this path.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace rigel {

// Where the kernel tells what is in use; tests have their own.
struct WriteGuardPaths {
  std::string sysfs = "/sys";
  std::string mountinfo = "/proc/self/mountinfo";
  std::string swaps = "/proc/swaps";
  std::string proc = "/proc";  // of the processes
};

struct WriteObjections {
  std::vector<std::string> in_use;
  std::vector<std::string> labels;
};
// Mounts of and devices on a block device or its partitions. Throws nothing but for want of memory.
[[nodiscard]] std::vector<std::string> uses_of_device(dev_t device,
                                                      const WriteGuardPaths& paths = {});
// Throws Error when `path` cannot be looked at.
[[nodiscard]] WriteObjections write_objections(const std::string& path,
                                               const WriteGuardPaths& paths = {});

// Throws Error naming the path and every objection, unless there is none or only labels and `path`
// is one of `destroy`, letter by letter.
void refuse_unless_writable(const std::string& path, std::span<const std::string> destroy,
                            const WriteGuardPaths& paths = {});

}  // namespace rigel
