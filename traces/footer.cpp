#include "traces/footer.hpp"

#include <cstring>

#include "traces/format.hpp"

namespace rigel::rgt {

std::vector<std::byte> footer_payload(Totals totals, std::span<const IndexEntry> index,
                                      std::uint64_t offset_bytes) {
  totals.blocks = static_cast<std::uint32_t>(index.size());
  std::vector<std::byte> payload(sizeof totals + index.size_bytes() + sizeof(Trailer));
  Trailer trailer;
  trailer.footer_bytes = kHeaderBytes + payload.size();
  trailer.trace_bytes = offset_bytes + trailer.footer_bytes;
  std::memcpy(payload.data(), &totals, sizeof totals);
  if (!index.empty()) {
    std::memcpy(payload.data() + sizeof totals, index.data(), index.size_bytes());
  }
  std::memcpy(payload.data() + payload.size() - sizeof trailer, &trailer, sizeof trailer);
  return payload;
}

std::optional<Footer> parse_footer(std::span<const std::byte> payload) {
  Footer footer;
  if (payload.size() < sizeof(Totals) + sizeof(Trailer)) return std::nullopt;
  std::memcpy(&footer.totals, payload.data(), sizeof(Totals));
  const std::span<const std::byte> entries =
      payload.subspan(sizeof(Totals), payload.size() - sizeof(Totals) - sizeof(Trailer));
  if (entries.size() != footer.totals.blocks * sizeof(IndexEntry)) return std::nullopt;
  footer.index.resize(footer.totals.blocks);
  if (!entries.empty()) std::memcpy(footer.index.data(), entries.data(), entries.size());
  std::memcpy(&footer.trailer, payload.data() + payload.size() - sizeof(Trailer), sizeof(Trailer));
  const bool good = footer.trailer.magic == kTrailerMagic &&
                    footer.trailer.footer_bytes == kHeaderBytes + payload.size() &&
                    footer.trailer.trace_bytes >= footer.trailer.footer_bytes;
  if (!good) return std::nullopt;
  std::uint64_t least = 0;
  for (const IndexEntry& entry : footer.index) {
    if (entry.offset_bytes < least || entry.reserved != 0) return std::nullopt;
    least = entry.offset_bytes + kHeaderBytes;
  }
  if (least > footer.trailer.trace_bytes - footer.trailer.footer_bytes) return std::nullopt;
  return footer;
}

}  // namespace rigel::rgt
