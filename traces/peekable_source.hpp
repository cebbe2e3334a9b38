// A ByteSource whose first bytes can be looked at before they are read. Owns the source it wraps.
// Not thread safe; throws what the wrapped source throws.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "traces/byte_source.hpp"

namespace rigel {

class PeekableSource final : public ByteSource {
 public:
  explicit PeekableSource(std::unique_ptr<ByteSource> source) : source_{std::move(source)} {}

  // The next `count` bytes, or all that are left when there are fewer. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> peek(std::size_t count);

  std::size_t read(std::span<std::byte> into) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return source_->size(); }
  void seek(std::uint64_t offset_bytes) override {
    source_->seek(offset_bytes);
    head_.clear();
    at_ = 0;
  }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<std::byte> head_;  // read from source_, not yet handed out from `at_` on
  std::size_t at_ = 0;
};

}  // namespace rigel
