// A device or file that I/O is replayed on: opened, measured, closed. Movable, one owner; opening
// throws Error naming the path and the cause.
#pragma once

#include <cstdint>
#include <string>

namespace rigel {

enum class TargetAccess : std::uint8_t {
  kReadOnly,
  kReadWrite,  // a block device is claimed with O_EXCL: nobody else may hold or mount it
};

enum class TargetCaching : std::uint8_t {
  kDirect,    // O_DIRECT: the device answers
  kBuffered,  // the page cache of this host stands before the device
};

class Target {
 public:
  Target(std::string path, TargetAccess access, TargetCaching caching = TargetCaching::kDirect);
  ~Target();
  Target(Target&& other) noexcept;
  Target& operator=(Target&& other) noexcept;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Offsets and lengths must be multiples of this.
  [[nodiscard]] std::uint32_t block_bytes() const { return block_bytes_; }
  [[nodiscard]] bool is_block_device() const { return is_block_device_; }
  // Whether the kernel can start an I/O without the risk to block. If not, io_uring hands each one
  // to a kernel worker thread, which costs time that the device does not.
  [[nodiscard]] bool supports_nowait() const { return supports_nowait_; }

 private:
  void measure_block_device();
  void measure_file(std::uint64_t size_bytes);
  void probe_nowait();

  std::string path_;
  int fd_ = -1;
  std::uint64_t size_bytes_ = 0;
  std::uint32_t block_bytes_ = 512;
  bool is_block_device_ = false;
  bool supports_nowait_ = true;
};

}  // namespace rigel
