#include "traces/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "traces/error.hpp"

namespace rigel {
namespace {

class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(int fd, std::string name, bool may_seek)
      : fd_{fd}, name_{std::move(name)}, may_seek_{may_seek} {}
  ~DescriptorSource() override { ::close(fd_); }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const ssize_t got = ::read(fd_, into.data() + filled, into.size() - filled);
      if (got == 0) break;
      if (got < 0) {
        if (errno == EINTR) continue;
        throw system_error(name_, fmt::format("cannot read at byte {}", offset_ + filled), errno);
      }
      filled += static_cast<std::size_t>(got);
    }
    offset_ += filled;
    return filled;
  }
  std::optional<std::uint64_t> size() const override {
    struct stat status = {};
    if (!may_seek_ || ::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }
  void seek(std::uint64_t offset_bytes) override {
    if (::lseek(fd_, static_cast<off_t>(offset_bytes), SEEK_SET) < 0) {
      throw system_error(name_, fmt::format("cannot go to byte {}", offset_bytes), errno);
    }
    offset_ = offset_bytes;
  }
  const std::string& name() const override { return name_; }

 private:
  int fd_;
  std::string name_;
  bool may_seek_;
  std::uint64_t offset_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes.begin(), bytes.end()), name_{std::move(name)} {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    if (count > 0) std::memcpy(into.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  void seek(std::uint64_t offset_bytes) override {
    at_ = static_cast<std::size_t>(std::min<std::uint64_t>(offset_bytes, bytes_.size()));
  }
  const std::string& name() const override { return name_; }

 private:
  std::vector<std::byte> bytes_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace

void ByteSource::seek(std::uint64_t) {
  throw Error{name() + ": can only be read from its beginning to its end"};
}

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  const int fd = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw system_error(name, "cannot open", errno);
  auto source = std::make_unique<DescriptorSource>(fd, name, !standard_input);
  struct stat status = {};
  if (::fstat(fd, &status) != 0) throw system_error(name, "cannot stat", errno);
  if (S_ISDIR(status.st_mode)) throw system_error(name, "cannot read", EISDIR);
  return source;
}

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

}  // namespace rigel
