// Bytes of a file, a pipe, a decompressor or memory, read forward once.
// Not thread safe; read() throws Error naming the file, the offset and the cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rigel {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills as much of `into` as can be had; less than asked only at the end, 0 past it.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // What to call it in messages: the path, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// "-" is standard input. Refuses directories.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);
// A copy of `bytes`, for tests and embedded data.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes,
                                                        std::string name);

}  // namespace rigel
