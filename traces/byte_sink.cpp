#include "traces/byte_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::string_view kStandardOutput = "standard output";

// Unbuffered: what write() took is in the system's hands when it returns, so that a crash of this
// process loses none of it.
class DescriptorSink final : public ByteSink {
 public:
  DescriptorSink(int fd, std::string name) : fd_{fd}, name_{std::move(name)} {}
  ~DescriptorSink() override {
    if (fd_ >= 0) ::close(fd_);
  }
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
      if (put < 0) {
        if (errno == EINTR) continue;
        if (errno == EPIPE && name_ == kStandardOutput) {
          throw ReaderGone{fmt::format("{}: closed by its reader", name_)};
        }
        throw system_error(name_, fmt::format("cannot write at byte {}", offset_), errno);
      }
      offset_ += static_cast<std::uint64_t>(put);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
  }

  void close() override {
    if (fd_ < 0) return;
    // Network file systems report a full disk only here.
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
      throw system_error(name_, fmt::format("cannot close after {} bytes", offset_), errno);
    }
  }
  const std::string& name() const override { return name_; }

 private:
  int fd_;
  std::string name_;
  std::uint64_t offset_ = 0;
};

class MemorySink final : public ByteSink {
 public:
  MemorySink(std::vector<std::byte>& bytes, std::string name)
      : bytes_{bytes}, name_{std::move(name)} {}

  void write(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void close() override {}
  const std::string& name() const override { return name_; }

 private:
  std::vector<std::byte>& bytes_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSink> create_file(const std::string& path) {
  const bool standard_output = path == "-";
  const std::string name = standard_output ? std::string{kStandardOutput} : path;
  const int fd = standard_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) throw system_error(name, "cannot create", errno);
  auto sink = std::make_unique<DescriptorSink>(fd, name);
  struct stat status = {};
  if (::fstat(fd, &status) != 0) throw system_error(name, "cannot stat", errno);
  if (S_ISBLK(status.st_mode)) throw Error{name + ": is a block device, not overwritten"};
  // Not O_TRUNC above, which would come before the look at what it is. Standard output may be
  // somebody's file opened for appending.
  if (!standard_output && S_ISREG(status.st_mode) && ::ftruncate(fd, 0) != 0) {
    throw system_error(name, "cannot truncate", errno);
  }
  return sink;
}

std::unique_ptr<ByteSink> memory_sink(std::vector<std::byte>& bytes, std::string name) {
  return std::make_unique<MemorySink>(bytes, std::move(name));
}

}  // namespace rigel
