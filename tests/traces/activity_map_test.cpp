#include "traces/activity_map.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace rigel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(Timeline, KeepsEveryIoAndByteHoweverFarItHasToStretch) {
  Timeline timeline;
  for (std::int64_t second = 0; second < 3000; ++second) timeline.add(second * kSecond, 4096);
  timeline.add(-5, 1);  // before the first: put at 0
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  for (const Timeline::Cell& cell : timeline.cells()) {
    records += cell.records;
    bytes += cell.bytes;
  }
  EXPECT_EQ(records, 3001U);
  EXPECT_EQ(bytes, 3000U * 4096 + 1);
  EXPECT_LE(timeline.cells().size(), Timeline::kCells);
  EXPECT_GT(timeline.cells().size(), Timeline::kCells / 2);
  // A steady load stays steady: each whole cell holds its width's worth.
  const double per_cell = static_cast<double>(timeline.cell_ns()) / kSecond;
  for (std::size_t i = 1; i + 1 < timeline.cells().size(); ++i) {
    EXPECT_NEAR(static_cast<double>(timeline.cells()[i].records), per_cell, 1);
  }
}

TEST(Timeline, OutstandingTimeIsSharedOutOverTheCellsItCovers) {
  Timeline timeline;
  timeline.add(0, 0);
  timeline.add(10 * kSecond, 0);  // sets the width
  timeline.add_outstanding(kSecond, 9 * kSecond);
  timeline.add_outstanding(kSecond, 9 * kSecond);
  double total = 0;
  const auto cells = timeline.cells();
  for (const auto& cell : cells) total += cell.outstanding_ns;
  EXPECT_NEAR(total, 16e9, 1);
  const auto middle =
      static_cast<std::size_t>(5 * kSecond / static_cast<std::int64_t>(timeline.cell_ns()));
  EXPECT_NEAR(cells[middle].outstanding_ns / static_cast<double>(timeline.cell_ns()), 2, 1e-9);
}

TEST(Timeline, WidenedToAnotherItHasItsCellsAndLosesNothing) {
  Timeline whole;
  Timeline early;
  for (std::int64_t second = 0; second < 3000; ++second) whole.add(second * kSecond, 1);
  for (std::int64_t second = 0; second < 100; ++second) early.add(second * kSecond, 1);
  EXPECT_LT(early.cell_ns(), whole.cell_ns());
  early.widen_to(whole.cell_ns());
  EXPECT_EQ(early.cell_ns(), whole.cell_ns());
  for (std::size_t i = 0; i + 1 < early.cells().size(); ++i) {
    EXPECT_EQ(early.cells()[i].records, whole.cells()[i].records);
  }
  const auto cells = early.cells();
  EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), std::uint64_t{0},
                            [](std::uint64_t sum, const auto& cell) { return sum + cell.bytes; }),
            100U);
}

TEST(HeatMap, ShowsWhereAndWhenInTheTouchedPartOnly) {
  HeatMap map;
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  // A scan of 8 GiB that begins at 1000 GiB and takes 80 s, one I/O for each MiB.
  for (std::uint64_t i = 0; i < 8192; ++i) {
    map.add(static_cast<std::int64_t>(i) * kSecond / 100, 1000 * kGiB + (i << 20));
  }
  const HeatMap::Picture picture = map.picture(8, 16);
  ASSERT_FALSE(picture.rows.empty());
  EXPECT_LE(picture.rows.size(), 8U);
  EXPECT_EQ(picture.first_bytes / kGiB, 1000U);
  EXPECT_GE(picture.row_bytes * picture.rows.size(), 8 * kGiB);
  std::uint64_t total = 0;
  for (const auto& row : picture.rows) {
    EXPECT_LE(row.size(), 16U);
    total = std::accumulate(row.begin(), row.end(), total);
  }
  EXPECT_EQ(total, 8192U);
  EXPECT_GT(picture.rows.front().front(), 0U);
  EXPECT_EQ(picture.rows.front().back(),
            picture.rows.size() == 1 ? picture.rows.front().back() : 0);
}

TEST(HeatMap, OfNothingIsEmpty) {
  EXPECT_TRUE(HeatMap{}.picture(8, 16).rows.empty());
}

}  // namespace
}  // namespace rigel
