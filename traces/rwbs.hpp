// The kernel's short form of an operation and its flags, as blkparse, biosnoop and the block trace
// points print it (blk_fill_rwbs of kernel/trace/blktrace.c): 'F' in front for a preflush, then the
// operation, then 'F' FUA, 'A' readahead, 'S' sync, 'M' metadata. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/io_record.hpp"

namespace rigel {

// False when `text` is no such form. Sets `op` and adds to `flags`.
[[nodiscard]] bool parse_rwbs(std::string_view text, IoOp& op, std::uint32_t& flags);

// What the form can hold of them; write-zeroes is a write in it, other operations are 'N'.
[[nodiscard]] std::string format_rwbs(IoOp op, std::uint32_t flags);

}  // namespace rigel
