// Which I/Os go on where an earlier one of the same stream on the same device ended. The last
// kLookBehind ends are remembered, so that a stream which scans several files in turn still counts
// as sequential: the windowed look-behind of I. Ahmad, "Easy and Efficient Disk I/O Workload
// Characterization in VMware ESX Server", IISWC 2007.
// Memory is a hundred bytes for each pair of stream and device seen. Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace rigel {

class SequentialRuns {
 public:
  static constexpr std::size_t kLookBehind = 8;

  // True when the I/O goes on where one of the last ended.
  bool add(std::uint32_t stream, std::uint32_t device, std::uint64_t offset_bytes,
           std::uint32_t length_bytes);

 private:
  struct Ends {
    std::array<std::uint64_t, kLookBehind> bytes{};
    std::uint32_t used = 0;
    std::uint32_t oldest = 0;
  };
  std::unordered_map<std::uint64_t, Ends> ends_;  // by stream and device
};

}  // namespace rigel
