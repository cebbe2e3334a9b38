#include "replay/address_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kGiB = 1U << 30;

DeviceInfo device(std::string name, std::uint64_t size = 0) {
  DeviceInfo info;
  info.name = std::move(name);
  info.size_bytes = size;
  return info;
}

AddressMap one_to_one(FitMode fit, std::uint64_t target_bytes, std::uint64_t device_bytes = 0,
                      std::uint32_t block = 512, bool align = false) {
  const TargetShape target{"/dev/t", target_bytes, block};
  AddressMapOptions options;
  options.rules = {{"*", 0, 0}};
  options.fit = fit;
  options.align = align;
  AddressMap map{{&target, 1}, options};
  map.add_device(device("sda", device_bytes));
  return map;
}

TEST(AddressMap, StrictKeepsAddressesAndRefusesWhatIsBeyondTheEnd) {
  const AddressMap map = one_to_one(FitMode::kStrict, kMiB);
  EXPECT_EQ(map.map(0, 0, 8192, 4096).offset_bytes, 8192U);
  EXPECT_EQ(map.map(0, 0, kMiB - 4096, 4096).refused, nullptr);
  EXPECT_STREQ(map.map(0, 0, kMiB - 4096, 8192).refused, "beyond the end of the target");
  EXPECT_STREQ(map.map(0, 0, ~std::uint64_t{511}, 512).refused, "beyond the end of the target");
  EXPECT_STREQ(map.map(0, 0, 0, 2 * kMiB).refused, "longer than its part of the target");
}

TEST(AddressMap, EveryFitKeepsAlignmentAndTheWholeLengthInside) {
  for (const FitMode fit : {FitMode::kWrap, FitMode::kScale, FitMode::kHash}) {
    const std::uint64_t size = 37 * kMiB + 4096;
    const AddressMap map = one_to_one(fit, size, 64 * kGiB, 4096);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t offset = i * 7919 * 4096 % (64 * kGiB);
      const std::uint32_t length = static_cast<std::uint32_t>(4096 * (1 + i % 300));
      const MappedIo io = map.map(0, 0, offset, length);
      ASSERT_EQ(io.refused, nullptr);
      ASSERT_EQ(io.length_bytes, length);
      ASSERT_EQ(io.offset_bytes % 4096, 0U);
      ASSERT_LE(io.offset_bytes + length, size);
    }
  }
}

TEST(AddressMap, EveryFitSendsAnAddressToTheSamePlaceEachTime) {
  for (const FitMode fit : {FitMode::kWrap, FitMode::kScale, FitMode::kHash}) {
    const AddressMap map = one_to_one(fit, kGiB, 64 * kGiB);
    EXPECT_EQ(map.map(0, 0, 5 * kGiB + 8192, 8192).offset_bytes,
              map.map(0, 0, 5 * kGiB + 8192, 8192).offset_bytes);
  }
}

TEST(AddressMap, ScaleToALargerTargetKeepsAddressesApartAndInOrder) {
  const AddressMap map = one_to_one(FitMode::kScale, 3 * kGiB, kGiB);
  std::uint64_t last = 0;
  for (std::uint64_t extent = 1; extent < 1024; ++extent) {
    const std::uint64_t place = map.map(0, 0, extent * kMiB, 4096).offset_bytes;
    EXPECT_GT(place, last);
    last = place;
  }
  EXPECT_GT(last, 29 * kGiB / 10);
}

TEST(AddressMap, SequentialRunsStaySequentialInsideAnExtent) {
  for (const FitMode fit : {FitMode::kScale, FitMode::kHash}) {
    const AddressMap map = one_to_one(fit, 3 * kGiB, 64 * kGiB);
    const std::uint64_t begin = map.map(0, 0, 100 * kMiB, 8192).offset_bytes;
    for (std::uint64_t at = 0; at < kMiB; at += 8192) {
      EXPECT_EQ(map.map(0, 0, 100 * kMiB + at, 8192).offset_bytes, begin + at);
    }
  }
}

TEST(AddressMap, HashCollidesAsOftenAsChanceWould) {
  // n balls into m bins fill m (1 - (1 - 1/m)^n) of them.
  const AddressMap map = one_to_one(FitMode::kHash, 4096 * kMiB);
  std::set<std::uint64_t> places;
  for (std::uint64_t extent = 0; extent < 4096; ++extent) {
    places.insert(map.map(0, 0, extent * kMiB, 4096).offset_bytes);
  }
  EXPECT_NEAR(static_cast<double>(places.size()), 4096 * (1 - 1 / 2.718281828), 100);
}

TEST(AddressMap, ScaleNeedsTheSizeOfTheRecordedDevice) {
  EXPECT_THROW(one_to_one(FitMode::kScale, kGiB, 0), UsageError);
}

TEST(AddressMap, MisalignedIoIsRefusedOrWidenedToWholeBlocks) {
  const AddressMap refusing = one_to_one(FitMode::kStrict, kMiB, 0, 4096);
  EXPECT_STREQ(refusing.map(0, 0, 512, 512).refused, "not a multiple of the target's block size");
  const AddressMap aligning = one_to_one(FitMode::kStrict, kMiB, 0, 4096, true);
  const MappedIo one = aligning.map(0, 0, 512, 512);
  EXPECT_EQ(one.offset_bytes, 0U);
  EXPECT_EQ(one.length_bytes, 4096U);
  EXPECT_TRUE(one.widened);
  const MappedIo across = aligning.map(0, 0, 4096 + 3584, 1024);
  EXPECT_EQ(across.offset_bytes, 4096U);
  EXPECT_EQ(across.length_bytes, 8192U);
  EXPECT_FALSE(aligning.map(0, 0, 8192, 4096).widened);
}

TEST(AddressMap, DevicesGoToTheirTargetsAndOffsets) {
  const std::vector<TargetShape> targets{{"/dev/a", kGiB, 512}, {"/dev/b", kGiB, 512}};
  AddressMapOptions options;
  options.rules = {{"sda", 0, 0}, {"sdb", 0, 512 * kMiB}, {"sdc", 1, 0}};
  AddressMap map{targets, options};
  for (const char* name : {"sdc", "sdb", "sda", "sdd"}) map.add_device(device(name));
  EXPECT_EQ(map.map(0, 0, 4096, 4096).target, 1);
  EXPECT_EQ(map.map(1, 0, 4096, 4096).offset_bytes, 512 * kMiB + 4096);
  EXPECT_EQ(map.map(2, 0, 4096, 4096).offset_bytes, 4096U);
  EXPECT_STREQ(map.map(3, 0, 4096, 4096).refused, "device not mapped to a target");
  // sdb has only what is left of the target behind its offset.
  EXPECT_STREQ(map.map(1, 0, 512 * kMiB, 4096).refused, "beyond the end of the target");
}

TEST(AddressMap, RulesForDevicesThatTheTraceHasNotAreTold) {
  const std::vector<TargetShape> targets{{"/dev/a", kMiB, 512}};
  AddressMapOptions options;
  options.rules = {{"sda", 0, 0}, {"sdz", 0, 0}, {"*", 0, 0}};
  AddressMap map{targets, options};
  map.add_device(device("sda"));
  map.add_device(device("sdb"));
  EXPECT_THAT(
      map.vain_rules(),
      testing::ElementsAre("--map sdz: the trace has no device of this name, but 'sda', 'sdb'"));
}

TEST(AddressMap, RegionsDoNotOverlap) {
  const TargetShape target{"/dev/t", kGiB, 512};
  AddressMapOptions options;
  options.rules = {{"*", 0, 0}};
  options.fit = FitMode::kWrap;
  options.regions = 3;
  AddressMap map{{&target, 1}, options};
  map.add_device(device("sda"));
  const std::uint64_t region = kGiB / 3 / kMiB * kMiB;
  for (unsigned copy = 0; copy < 3; ++copy) {
    for (std::uint64_t at = 0; at < 4 * kGiB; at += 77 * 8192) {
      const MappedIo io = map.map(0, copy, at, 8192);
      ASSERT_GE(io.offset_bytes, copy * region);
      ASSERT_LE(io.offset_bytes + 8192, (copy + 1) * region);
    }
  }
}

TEST(AddressMap, OffsetBeyondTheTargetIsAUsageError) {
  const TargetShape target{"/dev/t", kGiB, 512};
  AddressMapOptions options;
  options.rules = {{"sda", 0, kGiB}};
  EXPECT_THROW((AddressMap{{&target, 1}, options}), UsageError);
  options.rules = {{"sda", 0, 100}};
  EXPECT_THROW((AddressMap{{&target, 1}, options}), UsageError);
}

}  // namespace
}  // namespace rigel
