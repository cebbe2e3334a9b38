// The payload of a trace's last block: what the trace holds and where its blocks are. It ends with
// a trailer of fixed size, so that a reader finds it from the end of the file.
// Plain data and pure functions; nothing here throws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "traces/io_record.hpp"

namespace rigel::rgt {

struct Totals {
  std::uint64_t records = 0;
  std::uint64_t lost = 0;  // sum over the loss blocks
  std::int64_t first_start_ns = kNoTime;
  std::int64_t last_start_ns = kNoTime;
  std::uint32_t columns = 0;  // ColumnSet::bits() of any block
  std::uint32_t blocks = 0;   // entries of the index
};
static_assert(sizeof(Totals) == 40);

// One block of any type but the footer.
struct IndexEntry {
  std::uint64_t offset_bytes = 0;   // of its header, from the trace's first byte
  std::int64_t first_start_ns = 0;  // as in its header
  std::int64_t last_start_ns = 0;
  std::uint32_t records = 0;
  std::uint16_t type = 0;
  std::uint16_t reserved = 0;

  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};
static_assert(sizeof(IndexEntry) == 32);

inline constexpr std::array<unsigned char, 8> kTrailerMagic{'R', 'G', 'T', 'i', 'n', 'd', 'e', 'x'};

struct Trailer {
  std::uint64_t trace_bytes = 0;   // of the whole trace, this trailer included
  std::uint64_t footer_bytes = 0;  // of the footer block, header and trailer included
  std::array<unsigned char, 8> magic = kTrailerMagic;
};
static_assert(sizeof(Trailer) == 24);

struct Footer {
  Totals totals;
  std::vector<IndexEntry> index;
  Trailer trailer;
};

// `index` and `totals` as a footer block's payload, when that block begins `offset_bytes` after the
// trace's first byte.
[[nodiscard]] std::vector<std::byte> footer_payload(Totals totals,
                                                    std::span<const IndexEntry> index,
                                                    std::uint64_t offset_bytes);
// Nothing when the payload contradicts itself.
[[nodiscard]] std::optional<Footer> parse_footer(std::span<const std::byte> payload);

}  // namespace rigel::rgt
