// What a DBA calls an I/O, by who submitted it and how large it is: "single-block read", "redo
// write". The wait events of Oracle are the model ("db file sequential read", "db file scattered
// read", "direct path read", "log file parallel write", Database Reference, appendix C); a process
// cannot be asked which one it waits on, so a serial direct path read counts as a multi-block read.
// Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/io_record.hpp"

namespace rigel {

// The largest block that Oracle, PostgreSQL or MySQL can be made with.
inline constexpr std::uint32_t kLargestDatabaseBlock = 32 * 1024;

// Empty for I/O of processes that play no part in a database, and for flushes and the like.
[[nodiscard]] std::string_view io_class(std::string_view role, IoOp op, std::uint32_t length_bytes);

}  // namespace rigel
