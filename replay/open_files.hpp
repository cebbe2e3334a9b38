// Which processes have a device or file open: the kernel refuses O_EXCL only against others that
// asked for it, so a database on a raw device shows nowhere else. Reads /proc; processes that the
// caller may not look at (without CAP_SYS_PTRACE, those of other users) are not seen.
// Safe from any thread. Nothing throws but for want of memory.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

namespace rigel {

// "PID (name)" of every process but this one that has one of `files` open, each once. A block
// device is known by its number, whatever node it was opened by; a file by device and inode.
[[nodiscard]] std::vector<std::string> processes_with_open(const std::vector<struct stat>& files,
                                                           const std::string& proc = "/proc");

}  // namespace rigel
