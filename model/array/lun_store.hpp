// What is on a virtual LUN: data in memory or in a sparse file, or a pattern that is there without
// being kept. Offsets and lengths are within the LUN; functions return 0 or an errno, which becomes
// the I/O's own. One thread. Making one throws Error when there is no room or no such place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rigel {

class LunStore {
 public:
  virtual ~LunStore() = default;
  virtual int read(std::uint64_t offset_bytes, char* data, std::size_t size) = 0;
  virtual int write(std::uint64_t offset_bytes, const char* data, std::size_t size) = 0;
  // Discards (the range reads as zeros then), with fallocate(2)'s own mode.
  virtual int allocate(int mode, std::uint64_t offset_bytes, std::uint64_t length_bytes) = 0;
};

// Takes memory as it is written; what was never written reads as zeros.
[[nodiscard]] std::unique_ptr<LunStore> memory_store(std::uint64_t size_bytes);
// Keeps what the file holds already; makes it when it is not there, and longer when it is short.
[[nodiscard]] std::unique_ptr<LunStore> file_store(const std::string& path,
                                                   std::uint64_t size_bytes);
// Every 8 bytes hold their own offset, little-endian; what is written is forgotten.
[[nodiscard]] std::unique_ptr<LunStore> pattern_store();

}  // namespace rigel
