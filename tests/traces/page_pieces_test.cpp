#include "traces/page_pieces.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

IoRecord io(std::uint64_t offset, std::uint32_t length) {
  IoRecord record;
  record.offset_bytes = offset;
  record.length_bytes = length;
  return record;
}

TEST(PagePieces, PagesTouchedIncludePartlyTouchedOnes) {
  EXPECT_EQ(pages_of(0, 4096, 4096).count(), 1U);
  EXPECT_EQ(pages_of(4095, 2, 4096).count(), 2U);
  EXPECT_EQ(pages_of(8192, 8192, 4096).first, 2U);
  EXPECT_EQ(pages_of(8192, 8192, 4096).end, 4U);
  EXPECT_EQ(pages_of(8192, 0, 4096).count(), 0U);
}

TEST(PagePieces, AnAbsurdOffsetStaysInsideTheAddressSpace) {
  const PageRange pages = pages_of(~std::uint64_t{0} - 10, 4096, 4096);
  EXPECT_EQ(pages.count(), 1U);
  EXPECT_EQ(pages.end, std::uint64_t{1} << 52);
}

TEST(PagePieces, PiecesCoverTheWholeExactly) {
  const IoRecord whole = io(4096 * 2 + 512, 4096 * 3);  // touches pages 2..5
  std::uint64_t at = whole.offset_bytes;
  for (std::uint64_t page = 2; page <= 5; ++page) {
    const IoRecord piece = piece_of(whole, {page, page + 1}, 4096);
    EXPECT_EQ(piece.offset_bytes, at);
    EXPECT_EQ(pages_of(piece.offset_bytes, piece.length_bytes, 4096).count(), 1U);
    EXPECT_EQ(piece.flags, io_flag::kSplit);
    at += piece.length_bytes;
  }
  EXPECT_EQ(at, whole.offset_bytes + whole.length_bytes);
  EXPECT_EQ(piece_of(whole, {2, 6}, 4096), whole);
}

}  // namespace
}  // namespace rigel
