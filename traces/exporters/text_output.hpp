// Text on its way into a ByteSink: collected in memory, handed over in large pieces.
// Not thread safe; throws what the sink throws.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "traces/byte_sink.hpp"

namespace rigel {

class TextOutput {
 public:
  explicit TextOutput(std::unique_ptr<ByteSink> sink) : sink_{std::move(sink)} {}

  void text(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  template <typename Integer>
  void number(Integer value) {
    const fmt::format_int digits{value};
    buffer_.append(digits.data(), digits.data() + digits.size());
  }
  template <typename... Args>
  void format(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  // Call between lines: hands over what has collected, once it is much.
  void line_done() {
    buffer_.push_back('\n');
    if (buffer_.size() >= kPieceBytes) flush();
  }
  void flush() {
    sink_->write(std::as_bytes(std::span{buffer_.data(), buffer_.size()}));
    buffer_.clear();
  }
  void close() {
    flush();
    sink_->close();
  }
  [[nodiscard]] const std::string& name() const { return sink_->name(); }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  std::unique_ptr<ByteSink> sink_;
  fmt::memory_buffer buffer_;
};

// What to call a device where only a name will do: its own, or "device<index>".
[[nodiscard]] inline std::string device_label(const TraceTables& tables, std::uint32_t index) {
  const bool named = index < tables.devices.size() && !tables.devices[index].name.empty();
  return named ? tables.devices[index].name : fmt::format("device{}", index);
}

}  // namespace rigel
