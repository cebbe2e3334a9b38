// Errors that end a command. Everything rigel throws is one of these; `main` turns them into exit
// codes (UsageError 2, ReaderGone 0, any other Error 1). Failures that are data, such as a replayed
// I/O that returns EIO or a corrupt trace block, are never thrown: they are counted and reported.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rigel {

// What went wrong with a file, device or the system, in one line that names it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command line (or a configuration file) asks for something that makes no sense.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Whoever read our standard output closed it: there is nobody left to do the work for. Not a
// failure; `main` ends quietly.
class ReaderGone : public Error {
 public:
  using Error::Error;
};

// "<subject>: <what>: <strerror(errno_value)>"
[[nodiscard]] Error system_error(const std::string& subject, const std::string& what,
                                 int errno_value);

// "<subject>: at byte <offset>: <what>"
[[nodiscard]] Error error_at(const std::string& subject, std::uint64_t offset_bytes,
                             const std::string& what);

}  // namespace rigel
