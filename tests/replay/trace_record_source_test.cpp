#include "replay/trace_record_source.hpp"

#include <gtest/gtest.h>

#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

IoRecord record(std::int64_t queue_ns, IoOp op = IoOp::kRead, std::uint32_t device = 0) {
  IoRecord result;
  result.queue_ns = queue_ns;
  result.op = op;
  result.device = device;
  result.offset_bytes = 4096;
  result.length_bytes = 4096;
  return result;
}

struct Planned {
  std::vector<PlannedIo> ios;
  RecordSource::Tally tally;
  std::vector<std::string> roles;
};

Planned plan(std::vector<IoRecord> records, TraceReplayOptions options = {},
             TraceTables tables = tables_of({"sda", "sdb"}), ColumnSet columns = ColumnSet::all()) {
  const TargetShape target{"/dev/t", 1U << 30, 512};
  AddressMapOptions map;
  map.rules = {{"*", 0, 0}};
  TraceRecordSource source{
      std::make_unique<MemoryTrace>(std::move(records), std::move(tables), columns),
      AddressMap{{&target, 1}, map}, std::move(options)};
  Planned planned;
  std::vector<PlannedIo> chunk(7);
  while (const std::size_t count = source.next(chunk)) {
    planned.ios.insert(planned.ios.end(), chunk.begin(),
                       chunk.begin() + static_cast<std::ptrdiff_t>(count));
  }
  planned.tally = source.tally();
  planned.roles = source.roles();
  return planned;
}

std::vector<std::int64_t> due_times(const Planned& planned) {
  std::vector<std::int64_t> times;
  for (const PlannedIo& io : planned.ios) times.push_back(io.due_ns);
  return times;
}

TEST(TraceRecordSource, TimesAreRelativeToTheFirstRecord) {
  EXPECT_EQ(due_times(plan({record(-500), record(0), record(1000)})),
            (std::vector<std::int64_t>{0, 500, 1500}));
}

TEST(TraceRecordSource, FilterNeverChangesWhenTheRestIsDue) {
  const std::vector<IoRecord> records{record(100, IoOp::kWrite), record(400),
                                      record(500, IoOp::kWrite), record(900, IoOp::kRead, 1),
                                      record(1100)};
  EXPECT_EQ(due_times(plan(records)), (std::vector<std::int64_t>{300, 800, 1000}));
  TraceReplayOptions only;
  only.only_devices = {"sda"};
  const Planned one_device = plan(records, only);
  EXPECT_EQ(due_times(one_device), (std::vector<std::int64_t>{300, 1000}));
  EXPECT_EQ(one_device.tally.records, 5U);
  EXPECT_EQ(one_device.tally.left_out.at("write without --write"), 2U);
  EXPECT_EQ(one_device.tally.left_out.at("device not asked for"), 1U);
}

TEST(TraceRecordSource, SpeedDividesEveryTime) {
  TraceReplayOptions fast;
  fast.speed = 10;
  EXPECT_EQ(due_times(plan({record(0), record(1000), record(50'000)}, fast)),
            (std::vector<std::int64_t>{0, 100, 5000}));
}

TEST(TraceRecordSource, StampsThatGoBackwardsKeepTheFilesOrder) {
  const Planned planned = plan({record(0), record(900), record(300), record(800), record(1000)});
  EXPECT_EQ(due_times(planned), (std::vector<std::int64_t>{0, 900, 900, 900, 1000}));
  EXPECT_EQ(planned.tally.stamps_backwards, 2U);
}

TEST(TraceRecordSource, WritesGoOnlyWhenAskedFor) {
  const std::vector<IoRecord> records{record(0, IoOp::kRead), record(1, IoOp::kWrite),
                                      record(2, IoOp::kFlush), record(3, IoOp::kDiscard),
                                      record(4, IoOp::kWriteZeroes)};
  const Planned reads = plan(records);
  EXPECT_EQ(reads.ios.size(), 1U);
  EXPECT_EQ(reads.tally.left_out.at("write without --write"), 4U);
  TraceReplayOptions writes;
  writes.writes = true;
  EXPECT_EQ(plan(records, writes).ios.size(), 5U);
}

TEST(TraceRecordSource, WhatCannotBeReplayedIsCountedByReason) {
  std::vector<IoRecord> records{record(0, IoOp::kOther), record(1), record(2), record(3)};
  records[1].length_bytes = 0;
  records[2].length_bytes = 0xfffffe00;
  records[3].offset_bytes = 1ULL << 40;
  const Planned planned = plan(records);
  EXPECT_TRUE(planned.ios.empty());
  EXPECT_EQ(planned.tally.impossible,
            (RecordSource::Reasons{{"beyond the end of the target", 1},
                                   {"no length", 1},
                                   {"operation that cannot be replayed", 1},
                                   {"over 64 MiB long", 1}}));
}

TEST(TraceRecordSource, RecordedServiceTimeAndRoleComeAlong) {
  TraceTables tables = tables_of({"sda"}, {"ora_lgwr_X", "oracle_1_X", "ora_lgwr_Y"});
  tables.streams[0].role = "lgwr";
  tables.streams[2].role = "lgwr";
  std::vector<IoRecord> records{record(0), record(10), record(20)};
  for (std::uint32_t i = 0; i < 3; ++i) records[i].stream = i;
  records[0].issue_ns = 5;
  records[0].complete_ns = 105;
  records[1].complete_ns = 10'000'000'010;
  const Planned planned = plan(records, {}, tables);
  EXPECT_EQ(planned.ios[0].recorded_service_ns, 100U);
  EXPECT_EQ(planned.ios[1].recorded_service_ns, 0xffffffffU);  // longer than 4.29 s
  EXPECT_EQ(planned.ios[2].recorded_service_ns, 0U);           // not known
  EXPECT_EQ(planned.roles, (std::vector<std::string>{"", "lgwr"}));
  EXPECT_EQ(planned.ios[0].role, 1);
  EXPECT_EQ(planned.ios[1].role, 0);
  EXPECT_EQ(planned.ios[2].role, 1);
}

TEST(TraceRecordSource, TraceWithoutTimesIsRefusedUnlessTimesDoNotMatter) {
  const ColumnSet untimed{Column::kOffset, Column::kLength};
  EXPECT_THROW(plan({record(0)}, {}, {}, untimed), Error);
  TraceReplayOptions flat_out;
  flat_out.timed = false;
  EXPECT_EQ(plan({record(0), record(5)}, flat_out, {}, untimed).ios.size(), 2U);
}

}  // namespace
}  // namespace rigel
