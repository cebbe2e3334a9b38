// The directory at the head of a record block's payload, shared by encoder and decoder.
// FORMAT.md ("Record blocks") is the specification. Plain data; nothing here throws.
#pragma once

#include <cstdint>

namespace rigel::rgt {

struct DirectoryHeader {
  std::uint16_t columns = 0;
  std::uint16_t entry_bytes = 0;  // later versions may make entries longer
  std::uint32_t reserved = 0;
};
static_assert(sizeof(DirectoryHeader) == 8);

struct ColumnEntry {
  std::uint8_t column = 0;     // Column
  std::uint8_t predictor = 0;  // see below
  std::uint8_t width = 0;      // byte planes of a number
  std::uint8_t flags = 0;      // column_flag
  std::uint32_t stored_bytes = 0;
  std::uint64_t base = 0;
  std::uint64_t unit = 1;  // value = prediction + unit x number
};
static_assert(sizeof(ColumnEntry) == 24);

// What a value is stored as the difference to.
namespace predictor {
inline constexpr std::uint8_t kBase = 0;      // `base`
inline constexpr std::uint8_t kPrevious = 1;  // the last value above that is known, else `base`
// The last value above in a row whose device has the same low 8 bits, else `base`.
inline constexpr std::uint8_t kPreviousOnDevice = 2;
// + Column: that column's value in the same row, or above while that one is not known, else 0.
inline constexpr std::uint8_t kOfColumn = 0x80;
}  // namespace predictor

inline constexpr std::size_t kDeviceSlots = 256;

namespace column_flag {
inline constexpr std::uint8_t kSigned = 1;    // numbers are zigzag encoded
inline constexpr std::uint8_t kNullable = 2;  // a plane of 0 and 1 comes first: 1 is kNoTime
inline constexpr std::uint8_t kKnown = kSigned | kNullable;
}  // namespace column_flag

inline constexpr std::uint64_t zigzag(std::uint64_t value) {
  return (value << 1) ^ (0 - (value >> 63));
}
inline constexpr std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}

}  // namespace rigel::rgt
