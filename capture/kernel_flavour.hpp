// What differs from kernel to kernel and is read from its BTF when the recorder starts: argument
// lists of tracepoints, numbers of flag bits. (Moved and renamed struct fields are libbpf's work,
// see kernel_types.h.) By type, not by version: distributions backport.
// Pure functions of the BTF; flavour_of throws Error when that lacks a block tracepoint.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

struct btf;

namespace rigel {

struct KernelFlavour {
  bool rq_after_queue = false;   // block_rq_issue(q, rq) before 5.11, a54895fa057c
  bool bio_after_queue = false;  // block_bio_queue(q, bio) before 5.11, e8a676d61c07
  bool status_is_errno = false;  // block_rq_complete(rq, int, …) before 5.16, 8a7d267b4a2c
  std::uint32_t flush_sequence_mask = 0;     // RQF_FLUSH_SEQ: bit 4 until an enum said otherwise
  std::uint64_t writeback_mask = 0;          // PG_writeback
  std::uint8_t zone_append_op = 0;           // REQ_OP_ZONE_APPEND: 13, later 7; 0: none
  std::array<std::uint32_t, 32> io_flags{};  // io_flag bit for each bit of REQ_*, 0 for none

  // REQ_* bits as io_flag bits.
  [[nodiscard]] std::uint32_t flags_of(std::uint32_t op_flags) const;
};

[[nodiscard]] KernelFlavour flavour_of(const btf& kernel);

}  // namespace rigel
