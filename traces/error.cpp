#include "traces/error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace rigel {

Error system_error(const std::string& subject, const std::string& what, int errno_value) {
  return Error{
      fmt::format("{}: {}: {}", subject, what, std::generic_category().message(errno_value))};
}

Error error_at(const std::string& subject, std::uint64_t offset_bytes, const std::string& what) {
  return Error{fmt::format("{}: at byte {}: {}", subject, offset_bytes, what)};
}

}  // namespace rigel
