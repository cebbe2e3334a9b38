// What a trace does not hold is counted once, with its reasons, whether the recorder or the medium
// lost it.
#include "traces/missing_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/rgt_fixture.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MissingRecords, WholeTraceMissesNone) {
  const MissingRecords missing = missing_records(TraceTables{});
  EXPECT_TRUE(missing.none());
  EXPECT_EQ(missing.total(), 0U);
  EXPECT_FALSE(missing.at_least);
  EXPECT_TRUE(missing.reasons.empty());
}

TEST(MissingRecords, LossesOfOneCauseAreOneReason) {
  TraceTables tables;
  tables.losses = {{0, 1, 3, "ring full"}, {1, 2, 1000, "no slot"}, {2, 3, 4, "ring full"}};
  const MissingRecords missing = missing_records(tables);
  EXPECT_FALSE(missing.none());
  EXPECT_EQ(missing.in_recording, 1007U);
  EXPECT_EQ(missing.in_damage, 0U);
  EXPECT_FALSE(missing.at_least);
  EXPECT_THAT(missing.reasons, ElementsAre("1,000 I/Os lost: no slot", "7 I/Os lost: ring full"));
}

TEST(MissingRecords, DamageIsCountedAndNamedByItsOffset) {
  TraceTables tables;
  tables.losses = {{0, 1, 3, "ring full"}};
  tables.damage = {{4096, 1234, 100, "bad checksum"}};
  const MissingRecords missing = missing_records(tables);
  EXPECT_EQ(missing.total(), 103U);
  EXPECT_EQ(missing.in_damage, 100U);
  EXPECT_EQ(missing.damaged_places, 1U);
  EXPECT_FALSE(missing.at_least);
  EXPECT_THAT(missing.reasons,
              ElementsAre("3 I/Os lost: ring full",
                          "byte 4096: 1,234 bytes, 100 records lost, bad checksum"));
}

TEST(MissingRecords, DamageOfUnknownCostMakesTheCountALeast) {
  TraceTables tables;
  tables.damage = {{4096, 0, 0, "the file was cut"}};
  const MissingRecords missing = missing_records(tables);
  EXPECT_FALSE(missing.none());
  EXPECT_TRUE(missing.at_least);
  EXPECT_EQ(missing.total(), 0U);
}

TEST(MissingRecords, ManyPlacesAreAllCountedAndTheFirstNamed) {
  TraceTables tables;
  for (std::uint64_t i = 0; i < 500; ++i) tables.damage.push_back({i, 1, 2, "bad line"});
  const MissingRecords missing = missing_records(tables);
  EXPECT_EQ(missing.total(), 1000U);
  EXPECT_EQ(missing.damaged_places, 500U);
  ASSERT_EQ(missing.reasons.size(), 20U);
  EXPECT_EQ(missing.reasons.back(), "and 481 more");
}

TEST(MissingRecords, FlippedByteOfAFileIsFoundByWhoReadsIt) {
  auto bytes = write_trace(busy_records(40), TraceTables{}, 10);
  bytes[bytes.size() / 2] ^= std::byte{1};
  const ReadTrace back = read_trace(bytes);
  const MissingRecords missing = missing_records(back.tables);
  EXPECT_EQ(missing.total() + back.records.size(), 40U);
  ASSERT_EQ(missing.reasons.size(), 1U);
  EXPECT_THAT(missing.reasons[0], HasSubstr("byte "));
}

}  // namespace
}  // namespace rigel
