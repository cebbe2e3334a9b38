#include "replay/target.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "traces/error.hpp"

namespace rigel {

Target::Target(std::string path, TargetAccess access, TargetCaching caching)
    : path_(std::move(path)) {
  struct stat status = {};
  if (stat(path_.c_str(), &status) != 0) throw system_error(path_, "cannot be a target", errno);
  is_block_device_ = S_ISBLK(status.st_mode);
  if (!is_block_device_ && !S_ISREG(status.st_mode)) {
    throw Error{path_ + ": not a block device or a regular file"};
  }
  int flags = O_CLOEXEC;
  if (caching == TargetCaching::kDirect) flags |= O_DIRECT;
  flags |= access == TargetAccess::kReadWrite ? O_RDWR : O_RDONLY;
  if (access == TargetAccess::kReadWrite && is_block_device_) flags |= O_EXCL;
  fd_ = open(path_.c_str(), flags);
  if (fd_ < 0 && errno == EINVAL) throw Error{path_ + ": its filesystem has no direct I/O"};
  if (fd_ < 0 && errno == EBUSY) {
    throw Error{path_ + ": in use (mounted, swapped on, or held by another device)"};
  }
  if (fd_ < 0) throw system_error(path_, "cannot open", errno);
  try {
    is_block_device_ ? measure_block_device()
                     : measure_file(static_cast<std::uint64_t>(status.st_size));
  } catch (...) {
    close(fd_);
    throw;
  }
  probe_nowait();
}

Target::~Target() {
  if (fd_ >= 0) close(fd_);
}

Target::Target(Target&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_bytes_(other.size_bytes_),
      block_bytes_(other.block_bytes_),
      is_block_device_(other.is_block_device_),
      supports_nowait_(other.supports_nowait_) {}

Target& Target::operator=(Target&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  size_bytes_ = other.size_bytes_;
  block_bytes_ = other.block_bytes_;
  is_block_device_ = other.is_block_device_;
  supports_nowait_ = other.supports_nowait_;
  return *this;
}

void Target::measure_block_device() {
  int block = 0;
  if (ioctl(fd_, BLKGETSIZE64, &size_bytes_) != 0 || ioctl(fd_, BLKSSZGET, &block) != 0) {
    throw system_error(path_, "cannot tell its size", errno);
  }
  block_bytes_ = static_cast<std::uint32_t>(block);
  // The kernel opens such a device for writing all the same, and refuses each write.
  int read_only = 0;
  if ((fcntl(fd_, F_GETFL) & O_ACCMODE) == O_RDWR && ioctl(fd_, BLKROGET, &read_only) == 0 &&
      read_only != 0) {
    throw Error{path_ + ": is read-only"};
  }
  if (size_bytes_ == 0) throw Error{path_ + ": has no medium (size 0)"};
}

void Target::measure_file(std::uint64_t size_bytes) {
  size_bytes_ = size_bytes;
  if (size_bytes_ == 0) throw Error{path_ + ": empty file; give it the size that it shall have"};
  struct statx status = {};
  if (statx(fd_, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0 && status.stx_dio_offset_align != 0) {
    block_bytes_ = status.stx_dio_offset_align;
  }
}

void Target::probe_nowait() {
  constexpr std::size_t kProbeBytes = 65536;
  void* buffer =
      mmap(nullptr, kProbeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (buffer == MAP_FAILED) return;
  struct iovec piece = {buffer, block_bytes_ <= kProbeBytes ? block_bytes_ : kProbeBytes};
  // At the end of the target: the flag is checked, nothing is read.
  const auto end = static_cast<off_t>(size_bytes_ / block_bytes_ * block_bytes_);
  supports_nowait_ = preadv2(fd_, &piece, 1, end, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP;
  munmap(buffer, kProbeBytes);
}

}  // namespace rigel
