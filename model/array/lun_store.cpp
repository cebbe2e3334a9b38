#include "model/array/lun_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "traces/error.hpp"

namespace rigel {
namespace {

class SparseFile final : public LunStore {
 public:
  // Takes over the descriptor.
  SparseFile(int fd, const std::string& name, std::uint64_t size_bytes) : fd_{fd} {
    struct stat status = {};
    if (fstat(fd_, &status) != 0) throw failure(name, "cannot open");
    if (!S_ISREG(status.st_mode)) {
      close(fd_);
      throw Error{name + ": is not a regular file"};
    }
    if (static_cast<std::uint64_t>(status.st_size) >= size_bytes) return;
    if (ftruncate(fd_, static_cast<off_t>(size_bytes)) != 0) throw failure(name, "cannot extend");
  }
  ~SparseFile() override { close(fd_); }
  SparseFile(const SparseFile&) = delete;
  SparseFile& operator=(const SparseFile&) = delete;

  int read(std::uint64_t offset_bytes, char* data, std::size_t size) override {
    while (size > 0) {
      const ssize_t done = pread(fd_, data, size, static_cast<off_t>(offset_bytes));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return errno;
      if (done == 0) return EIO;  // someone made the file shorter
      data += done;
      size -= static_cast<std::size_t>(done);
      offset_bytes += static_cast<std::uint64_t>(done);
    }
    return 0;
  }

  int write(std::uint64_t offset_bytes, const char* data, std::size_t size) override {
    while (size > 0) {
      const ssize_t done = pwrite(fd_, data, size, static_cast<off_t>(offset_bytes));
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return errno;
      data += done;
      size -= static_cast<std::size_t>(done);
      offset_bytes += static_cast<std::uint64_t>(done);
    }
    return 0;
  }

  int allocate(int mode, std::uint64_t offset_bytes, std::uint64_t length_bytes) override {
    const int result = fallocate(fd_, mode | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_bytes),
                                 static_cast<off_t>(length_bytes));
    return result == 0 ? 0 : errno;
  }

 private:
  [[nodiscard]] Error failure(const std::string& name, const char* what) const {
    const int error = errno;
    close(fd_);
    return system_error(name, what, error);
  }

  int fd_;
};

class Pattern final : public LunStore {
 public:
  int read(std::uint64_t offset_bytes, char* data, std::size_t size) override {
    for (std::size_t at = 0; at < size;) {
      const std::uint64_t word = (offset_bytes + at) & ~std::uint64_t{7};
      const std::size_t inside = (offset_bytes + at) & 7;
      const std::size_t part = std::min(sizeof(word) - inside, size - at);
      std::memcpy(data + at, reinterpret_cast<const char*>(&word) + inside, part);
      at += part;
    }
    return 0;
  }
  int write(std::uint64_t, const char*, std::size_t) override { return 0; }
  int allocate(int, std::uint64_t, std::uint64_t) override { return EOPNOTSUPP; }
};

}  // namespace

std::unique_ptr<LunStore> memory_store(std::uint64_t size_bytes) {
  const int fd = memfd_create("rigel-lun", MFD_CLOEXEC);
  if (fd < 0) throw system_error("the LUN's memory", "cannot be had", errno);
  return std::make_unique<SparseFile>(fd, "the LUN's memory", size_bytes);
}

std::unique_ptr<LunStore> file_store(const std::string& path, std::uint64_t size_bytes) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) throw system_error(path, "cannot open", errno);
  return std::make_unique<SparseFile>(fd, path, size_bytes);
}

std::unique_ptr<LunStore> pattern_store() {
  return std::make_unique<Pattern>();
}

}  // namespace rigel
