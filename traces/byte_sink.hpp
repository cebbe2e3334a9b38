// Bytes to a file, a pipe or memory, appended. Not thread safe; write() and close() throw Error
// naming the file, the offset reached and the cause ("No space left on device").
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigel {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  // Makes sure that all of it arrived; the destructor closes too, but cannot report.
  virtual void close() = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
};

// Creates or truncates a regular file; "-" is standard output; an existing pipe or /dev/null is
// written to. Refuses block devices: a trace never lands on a disk's own sectors by a typing error.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path);
// Appends to `bytes`, which must outlive the sink.
[[nodiscard]] std::unique_ptr<ByteSink> memory_sink(std::vector<std::byte>& bytes,
                                                    std::string name);

}  // namespace rigel
