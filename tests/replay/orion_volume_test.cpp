#include "replay/orion_volume.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "traces/error.hpp"

namespace rigel {
namespace {

// Every slot of the volume has a place of its own, inside its LUN.
void expect_slots_do_not_overlap(const OrionVolume& volume, const std::vector<std::uint64_t>& luns,
                                 std::uint64_t io) {
  std::set<std::pair<std::uint16_t, std::uint64_t>> places;
  for (std::uint64_t slot = 0; slot < volume.slots(io); ++slot) {
    const VolumeExtent extent = volume.locate(slot, io);
    ASSERT_LT(extent.lun, luns.size());
    ASSERT_LE(extent.offset_bytes + io, luns[extent.lun]);
    ASSERT_EQ(extent.offset_bytes % io, 0U);
    ASSERT_TRUE(places.insert({extent.lun, extent.offset_bytes}).second) << slot;
  }
}

TEST(OrionVolume, ConcatGoesThroughOneLunAfterTheOther) {
  const std::vector<std::uint64_t> luns{100'000, 30'000, 65'536};
  const OrionVolume volume{luns, 0};
  EXPECT_EQ(volume.slots(8192), 12U + 3U + 8U);
  EXPECT_EQ(volume.locate(11, 8192).offset_bytes, 11U * 8192);
  EXPECT_EQ(volume.locate(12, 8192).lun, 1);
  EXPECT_EQ(volume.locate(12, 8192).offset_bytes, 0U);
  expect_slots_do_not_overlap(volume, luns, 8192);
}

TEST(OrionVolume, Raid0TakesTurnsStripeByStripe) {
  const std::vector<std::uint64_t> luns{1 << 20, 1 << 20};
  const OrionVolume volume{luns, 65'536};
  EXPECT_EQ(volume.locate(0, 8192).lun, 0);
  EXPECT_EQ(volume.locate(7, 8192).lun, 0);
  EXPECT_EQ(volume.locate(8, 8192).lun, 1);
  EXPECT_EQ(volume.locate(8, 8192).offset_bytes, 0U);
  EXPECT_EQ(volume.locate(16, 8192).offset_bytes, 65'536U);
  expect_slots_do_not_overlap(volume, luns, 8192);
}

TEST(OrionVolume, Raid0CoversOddSizesAndIosLargerThanAStripe) {
  const std::vector<std::uint64_t> luns{1'000'000, 777'777, 900'000};
  for (const std::uint64_t io : {512U, 8192U, 65'536U, 131'072U}) {
    for (const std::uint64_t stripe : {65'536U, 1U << 20}) {
      expect_slots_do_not_overlap(OrionVolume{luns, stripe}, {777'777, 777'777, 777'777}, io);
    }
  }
}

TEST(OrionVolume, NeedsALun) {
  EXPECT_THROW(OrionVolume({}, 0), UsageError);
}

}  // namespace
}  // namespace rigel
