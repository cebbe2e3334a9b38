// The constants and the block header of .rgt version 1; FORMAT.md is the specification.
// Pure functions over memory, safe from any thread; nothing here throws.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rigel::rgt {

static_assert(std::endian::native == std::endian::little, ".rgt is copied as it lies in memory");

// Begins every block. A byte that is not ASCII and both line ends, so that a file that went through
// a text-mode transfer is told from a good one.
inline constexpr std::array<unsigned char, 8> kMagic{0x89, 'R', 'G', 'T', 0x0d, 0x0a, 0x1a, 0x0a};
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::uint32_t kHeaderBytes = 72;
// Later versions may add fields before the header's checksum, up to here.
inline constexpr std::uint32_t kMaxHeaderBytes = 4096;

// What a reader may have to hold. A block that asks for more is not one of ours.
inline constexpr std::uint32_t kMaxPayloadBytes = 64U << 20;
inline constexpr std::uint32_t kMaxDecodedBytes = 64U << 20;
inline constexpr std::uint32_t kMaxRecordsPerBlock = 1U << 20;

enum class BlockType : std::uint16_t {
  kMeta = 1,      // JSON: TraceMeta; begins a trace, and may come again to replace it
  kDevices = 2,   // JSON: entries added to TraceTables::devices
  kStreams = 3,   // JSON: entries added to TraceTables::streams
  kLosses = 4,    // JSON: entries added to TraceTables::losses
  kWarnings = 5,  // JSON: entries added to TraceTables::warnings
  kRecords = 6,   // columns
  kFooter = 7,    // index and totals; ends a trace
};

struct BlockHeader {
  std::array<unsigned char, 8> magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t header_bytes = kHeaderBytes;
  std::uint16_t type = 0;
  std::uint16_t reserved = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t decoded_bytes = 0;   // of the payload once decompressed: what a reader must hold
  std::uint32_t records = 0;         // in this block
  std::uint32_t trace_id = 0;        // the same in all blocks of a trace
  std::uint64_t records_before = 0;  // in the trace's blocks before this one
  std::int64_t first_start_ns = 0;   // least and greatest IoRecord::start_ns of the records that
  std::int64_t last_start_ns = 0;    // have one; kNoTime in both when none has
  std::uint64_t payload_checksum = 0;
  std::uint64_t header_checksum = 0;  // always the header's last 8 bytes, over those before it
};
static_assert(sizeof(BlockHeader) == kHeaderBytes);

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);  // XXH3-64, seed 0
// The header as bytes, its checksum filled in.
[[nodiscard]] std::array<std::byte, kHeaderBytes> seal(BlockHeader header);

// What `bytes`, which begin where a block should, turn out to be.
enum class HeaderState {
  kValid,
  kShort,     // good so far; header.header_bytes are needed
  kNoBlock,   // no magic, or a checksum or size that cannot be
  kReserved,  // intact, but uses what version 1 leaves unused
  kNewer,     // intact, but of a version this reader does not know
};
[[nodiscard]] HeaderState parse_header(std::span<const std::byte> bytes, BlockHeader& header);

// Whether a header of .rgt is anywhere in the first bytes of a file: a damaged beginning is still
// recognised.
[[nodiscard]] bool contains_block(std::span<const std::byte> head);
// Where the next magic begins, or the first place where it may begin beyond the end of `bytes`.
[[nodiscard]] std::size_t find_magic(std::span<const std::byte> bytes);

}  // namespace rigel::rgt
