#include "replay/open_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace rigel {
namespace {

namespace fs = std::filesystem;

bool is_one_of(const std::string& link, const std::vector<struct stat>& files) {
  struct statx other = {};
  // What the kernel knows already: a file server that does not answer keeps nobody waiting.
  if (statx(AT_FDCWD, link.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &other) != 0) {
    return false;
  }
  return std::any_of(files.begin(), files.end(), [&](const struct stat& file) {
    if (S_ISBLK(file.st_mode)) {
      return S_ISBLK(other.stx_mode) &&
             makedev(other.stx_rdev_major, other.stx_rdev_minor) == file.st_rdev;
    }
    return S_ISREG(other.stx_mode) && other.stx_ino == file.st_ino &&
           makedev(other.stx_dev_major, other.stx_dev_minor) == file.st_dev;
  });
}

bool has_open(const fs::path& process, const std::vector<struct stat>& files) {
  std::error_code error;
  for (fs::directory_iterator fd{process / "fd", error}, end; !error && fd != end;
       fd.increment(error)) {
    if (is_one_of(fd->path(), files)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> processes_with_open(const std::vector<struct stat>& files,
                                             const std::string& proc) {
  std::vector<std::string> found;
  const std::string self = std::to_string(getpid());
  std::error_code error;
  for (fs::directory_iterator process{proc, error}, end; !error && process != end;
       process.increment(error)) {
    const std::string pid = process->path().filename();
    if (pid == self || pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!has_open(process->path(), files)) continue;
    std::ifstream file{process->path() / "comm"};
    std::string name;
    std::getline(file, name);
    found.push_back(fmt::format("{} ({})", pid, name));
  }
  return found;
}

}  // namespace rigel
