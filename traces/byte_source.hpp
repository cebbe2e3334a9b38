// Bytes of a file, a pipe, a decompressor or memory, read forward once.
// Not thread safe; read() throws Error naming the file, the offset and the cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rigel {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills as much of `into` as can be had; less than asked only at the end, 0 past it.
  virtual std::size_t read(std::span<std::byte> into) = 0;
  // How many bytes there are in all, if the source can be positioned: pipes, standard input and
  // decompressors cannot.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  // Reads on from there. Only where size() is known; throws Error otherwise.
  virtual void seek(std::uint64_t offset_bytes);
  // What to call it in messages: the path, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// "-" is standard input. Refuses directories.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);
// A copy of `bytes`, for tests and embedded data.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes,
                                                        std::string name);

}  // namespace rigel
