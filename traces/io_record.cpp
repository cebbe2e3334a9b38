#include "traces/io_record.hpp"

#include <array>

namespace rigel {

std::string_view op_name(IoOp op) {
  static constexpr std::array<std::string_view, kIoOpCount> kNames{
      "read", "write", "flush", "discard", "write-zeroes", "other"};
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace rigel
