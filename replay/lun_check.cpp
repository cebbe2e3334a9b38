#include "replay/lun_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "replay/orion_offsets.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

LunCheck check_lun(const Target& lun, std::uint64_t seed, std::uint64_t samples,
                   std::uint32_t block_bytes) {
  LunCheck check;
  check.size_bytes = lun.size_bytes();
  struct stat status = {};
  if (fstat(lun.fd(), &status) != 0) throw system_error(lun.path(), "cannot stat", errno);
  check.allocated_bytes =
      lun.is_block_device() ? check.size_bytes : static_cast<std::uint64_t>(status.st_blocks) * 512;
  const std::unique_ptr<void, decltype(&std::free)> memory{std::aligned_alloc(4096, block_bytes),
                                                           &std::free};
  if (memory == nullptr) throw system_error(lun.path(), "cannot be sampled", ENOMEM);
  const auto* block = static_cast<const char*>(memory.get());
  const std::uint64_t blocks = check.size_bytes / block_bytes;
  samples = std::min(samples, blocks);
  CounterRandom random{{seed, 0xffffffff, 0}};
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t share = blocks / samples;
    const std::uint64_t offset = (i * share + random.below(share)) * block_bytes;
    const ssize_t got = pread(lun.fd(), memory.get(), block_bytes, static_cast<off_t>(offset));
    if (got != static_cast<ssize_t>(block_bytes)) {
      throw system_error(lun.path(), fmt::format("cannot read at byte {}", offset),
                         got < 0 ? errno : EIO);
    }
    ++check.sampled_blocks;
    // All zeros: the first byte is, and every byte equals the one before it.
    if (block[0] == 0 && std::memcmp(block, block + 1, block_bytes - 1) == 0) ++check.zero_blocks;
  }
  return check;
}

std::string doubt_about(const std::string& path, const LunCheck& check) {
  if (check.allocated_bytes < check.size_bytes - check.size_bytes / 10) {
    return fmt::format("{}: sparse: {} of its {} are allocated, the rest is read without any disk",
                       path, format_bytes(check.allocated_bytes), format_bytes(check.size_bytes));
  }
  if (check.zero_blocks * 10 > check.sampled_blocks) {
    return fmt::format(
        "{}: {} of {} blocks sampled hold nothing but zeros: never written, or answered by a thin "
        "or compressing array without its disks",
        path, check.zero_blocks, check.sampled_blocks);
  }
  return {};
}

}  // namespace rigel
