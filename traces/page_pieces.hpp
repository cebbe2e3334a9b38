// Cuts an I/O where pages of a given size begin. Pure functions, safe from any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "traces/io_record.hpp"

namespace rigel {

// The pages an I/O touches: [first, end), empty for one without extent.
struct PageRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t count() const { return end - first; }
};

[[nodiscard]] inline PageRange pages_of(std::uint64_t offset_bytes, std::uint32_t length_bytes,
                                        std::uint64_t page_bytes) {
  if (length_bytes == 0) return {};
  // The last byte's address, held at the end of the address space by an absurd offset.
  const std::uint64_t last =
      offset_bytes + std::min<std::uint64_t>(length_bytes - 1, ~offset_bytes);
  return {offset_bytes / page_bytes, last / page_bytes + 1};
}

// The part of `record` that lies in the pages [first, end), which it touches: marked as a piece
// when that is not all of it.
[[nodiscard]] inline IoRecord piece_of(const IoRecord& record, PageRange pages,
                                       std::uint64_t page_bytes) {
  const PageRange whole = pages_of(record.offset_bytes, record.length_bytes, page_bytes);
  if (pages.first <= whole.first && pages.end >= whole.end) return record;
  IoRecord piece = record;
  const std::uint64_t begin = std::max(record.offset_bytes, pages.first * page_bytes);
  std::uint64_t length = record.length_bytes - (begin - record.offset_bytes);
  if (pages.end < whole.end) length = pages.end * page_bytes - begin;
  piece.offset_bytes = begin;
  piece.length_bytes = static_cast<std::uint32_t>(length);
  piece.flags |= io_flag::kSplit;
  return piece;
}

}  // namespace rigel
