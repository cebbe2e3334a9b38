#include "traces/file_index.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace rigel::rgt {
namespace {

// The footer of the trace that ends at `end_bytes`.
std::optional<Footer> footer_before(BlockReader& blocks, std::uint64_t end_bytes) {
  std::array<std::byte, sizeof(Trailer)> bytes{};
  if (end_bytes < bytes.size()) return std::nullopt;
  ByteSource& source = blocks.source();
  source.seek(end_bytes - bytes.size());
  if (source.read(bytes) != bytes.size()) return std::nullopt;
  Trailer trailer;
  std::memcpy(&trailer, bytes.data(), sizeof trailer);
  const bool possible = trailer.magic == kTrailerMagic && trailer.trace_bytes <= end_bytes &&
                        trailer.footer_bytes <= trailer.trace_bytes;
  if (!possible) return std::nullopt;
  Block last;
  std::vector<Damage> ignored;
  blocks.seek(end_bytes - trailer.footer_bytes);
  const bool found = blocks.next(last, ignored) && ignored.empty() &&
                     last.end_bytes() == end_bytes &&
                     last.header.type == static_cast<std::uint16_t>(BlockType::kFooter);
  return found ? parse_footer(last.payload) : std::nullopt;
}

std::optional<FileIndex> read_from_end(BlockReader& blocks, std::uint64_t file_bytes) {
  FileIndex result;
  std::uint64_t end = file_bytes;
  do {
    std::optional<Footer> footer = footer_before(blocks, end);
    if (!footer || footer->trailer.trace_bytes > end) return std::nullopt;
    const bool only_trace = footer->trailer.trace_bytes == file_bytes;
    end -= footer->trailer.trace_bytes;
    if (only_trace) {
      result.totals = footer->totals;
    } else {
      result.totals.records += footer->totals.records;
      result.totals.lost += footer->totals.lost;
      result.totals.columns |= footer->totals.columns;
      result.totals.blocks += footer->totals.blocks;
    }
    result.blocks = std::move(footer->index);
    result.footer_offset_bytes = footer->trailer.trace_bytes - footer->trailer.footer_bytes;
  } while (end != 0);
  return result;
}

}  // namespace

std::optional<FileIndex> read_file_index(BlockReader& blocks) {
  const std::optional<std::uint64_t> size = blocks.source().size();
  if (!size) return std::nullopt;
  std::optional<FileIndex> index = read_from_end(blocks, *size);
  blocks.seek(0);
  return index;
}

}  // namespace rigel::rgt
