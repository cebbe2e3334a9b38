// Other people's CSV: what a header settles and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(std::string_view text, const OpenOptions& options = {}) {
  try {
    import_text(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Csv, UnitsComeFromTheNames) {
  const Imported trace = import_text(
      "start_ms;latency (us);Offset [sectors];size_kb;R/W;disk;pid;comm;note\n"
      "1.5;250;8;4;read;sdb;17;ora_dbw0;x\n"
      "2.5;;16;8;WRITE;sdc;18;a b;\n");
  ASSERT_EQ(trace.records.size(), 2U);
  const IoRecord& first = trace.records[0];
  EXPECT_EQ(first.queue_ns, 1'500'000);
  EXPECT_EQ(first.complete_ns, 1'750'000);
  EXPECT_EQ(first.offset_bytes, 4096U);
  EXPECT_EQ(first.length_bytes, 4096U);
  EXPECT_EQ(first.op, IoOp::kRead);
  EXPECT_EQ(trace.tables.devices[first.device].name, "sdb");
  EXPECT_EQ(trace.tables.streams[first.stream].comm, "ora_dbw0");
  EXPECT_EQ(trace.tables.streams[first.stream].pid, 17U);
  EXPECT_EQ(trace.records[1].complete_ns, kNoTime);
  EXPECT_EQ(trace.tables.meta.extra.at("ignored_columns"), "note");
  EXPECT_TRUE(trace.tables.warnings.empty());
}

TEST(Csv, DatedTimesGiveTheWallClock) {
  const Imported trace =
      import_text("timestamp_s,lba,sectors,op\n1700000000.5,0,8,R\n1700000001.5,8,8,R\n");
  EXPECT_EQ(trace.tables.meta.start_wall_ns, 1'700'000'000'500'000'000);
  EXPECT_EQ(trace.records[0].queue_ns, 0);
  EXPECT_EQ(trace.records[1].queue_ns, 1'000'000'000);
}

TEST(Csv, FlagsOfDirectionSayWhatTheyMean) {
  const Imported writes = import_text("lba,sectors,is_write\n0,8,1\n0,8,0\n");
  EXPECT_EQ(writes.records[0].op, IoOp::kWrite);
  EXPECT_EQ(writes.records[1].op, IoOp::kRead);
  const Imported reads = import_text("lba,sectors,is_read\n0,8,1\n");
  EXPECT_EQ(reads.records[0].op, IoOp::kRead);
  // A number in a column that does not say is not guessed at.
  EXPECT_THAT(refusal_of("lba,sectors,type\n0,8,1\n"), HasSubstr("'1' is no operation"));
}

TEST(Csv, AHeaderWithoutAnOffsetIsNoTrace) {
  EXPECT_THAT(refusal_of("name,size\nfoo,1\n"), HasSubstr("not recognised"));
  EXPECT_THAT(refusal_of("name,size\nfoo,1\n", with_format("csv")),
              HasSubstr("line 1: no column of the header is an offset"));
}

TEST(Csv, TheTimeUnitOptionIsForNamesThatSayNone) {
  const Imported trace =
      import_text("time,latency_us,lba,sectors\n2,3,0,8\n", with_time_unit("ms"));
  EXPECT_EQ(trace.records[0].queue_ns, 2'000'000);
  EXPECT_EQ(trace.records[0].complete_ns, 2'003'000);
}

TEST(Csv, QuotedCellsAreReadAndBrokenOnesRefused) {
  const Imported trace =
      import_text("lba,sectors,op\n\"8\",\"8\",\"W\"\n\"8\",8,\"W\n\"1,2\",8,R\n");
  ASSERT_EQ(trace.records.size(), 1U);
  EXPECT_EQ(trace.records[0].offset_bytes, 4096U);
  EXPECT_EQ(trace.tables.damage.size(), 2U);
}

TEST(Csv, ALineOfTheWrongWidthIsRefused) {
  const Imported trace = import_text("lba,sectors,op\n8,8\n8,8,R,1\n8,8,R\n");
  EXPECT_EQ(trace.records.size(), 1U);
  ASSERT_EQ(trace.tables.damage.size(), 2U);
  EXPECT_EQ(trace.tables.damage[0].reason, "line 2: op is missing");
  EXPECT_EQ(trace.tables.damage[1].reason, "line 3: more than 3 fields");
}

TEST(Csv, ARefusedLineEntersNoDevice) {
  const Imported trace = import_text("disk,lba,sectors\nsda,0,8\nsdb,x,8\n");
  EXPECT_EQ(trace.tables.devices.size(), 1U);
}

}  // namespace
}  // namespace rigel
