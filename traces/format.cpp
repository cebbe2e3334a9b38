#include "traces/format.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace rigel::rgt {
namespace {

template <typename T>
T read_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::array<std::byte, kHeaderBytes> seal(BlockHeader header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  constexpr std::size_t kCovered = kHeaderBytes - sizeof header.header_checksum;
  std::memcpy(bytes.data(), &header, kCovered);
  header.header_checksum = checksum(std::span{bytes}.first(kCovered));
  std::memcpy(bytes.data(), &header, kHeaderBytes);
  return bytes;
}

HeaderState parse_header(std::span<const std::byte> bytes, BlockHeader& header) {
  const std::size_t compared = std::min(bytes.size(), kMagic.size());
  if (std::memcmp(bytes.data(), kMagic.data(), compared) != 0) return HeaderState::kNoBlock;
  header.header_bytes = kHeaderBytes;
  if (bytes.size() < kHeaderBytes) return HeaderState::kShort;
  const auto header_bytes = read_at<std::uint16_t>(bytes, offsetof(BlockHeader, header_bytes));
  if (header_bytes < kHeaderBytes || header_bytes > kMaxHeaderBytes) return HeaderState::kNoBlock;
  header.header_bytes = header_bytes;
  if (bytes.size() < header_bytes) return HeaderState::kShort;
  const std::size_t covered = header_bytes - sizeof header.header_checksum;
  const auto wanted = read_at<std::uint64_t>(bytes, covered);
  if (checksum(bytes.first(covered)) != wanted) return HeaderState::kNoBlock;
  std::memcpy(&header, bytes.data(), kHeaderBytes);
  header.header_checksum = wanted;
  if (header.version > kVersion) return HeaderState::kNewer;
  const bool possible = header.version == kVersion && header.payload_bytes <= kMaxPayloadBytes &&
                        header.decoded_bytes <= kMaxDecodedBytes &&
                        header.records <= kMaxRecordsPerBlock;
  if (!possible) return HeaderState::kNoBlock;
  return header.reserved == 0 ? HeaderState::kValid : HeaderState::kReserved;
}

std::size_t find_magic(std::span<const std::byte> bytes) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* const end = begin + bytes.size();
  for (const unsigned char* at = begin; at < end; ++at) {
    at = static_cast<const unsigned char*>(
        std::memchr(at, kMagic.front(), static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    const std::size_t compared =
        std::min<std::size_t>(static_cast<std::size_t>(end - at), kMagic.size());
    if (std::memcmp(at, kMagic.data(), compared) == 0) return static_cast<std::size_t>(at - begin);
  }
  return bytes.size();
}

bool contains_block(std::span<const std::byte> head) {
  while (true) {
    head = head.subspan(find_magic(head));
    if (head.empty()) return false;
    BlockHeader header;
    const HeaderState state = parse_header(head, header);
    if (state != HeaderState::kNoBlock && state != HeaderState::kShort) return true;
    head = head.subspan(1);
  }
}

}  // namespace rigel::rgt
