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
  map.regions = options.own_regions ? options.copies : 1;
  const auto open = [=] { return std::make_unique<MemoryTrace>(records, tables, columns); };
  TraceRecordSource source{open, AddressMap{{&target, 1}, map}, std::move(options)};
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

TEST(TraceRecordSource, LeavingRecordsOutNeverChangesWhenTheRestIsDue) {
  const Planned planned = plan({record(100, IoOp::kWrite), record(400), record(500, IoOp::kWrite),
                                record(900, IoOp::kRead, 1), record(1100)});
  EXPECT_EQ(due_times(planned), (std::vector<std::int64_t>{300, 800, 1000}));
  EXPECT_EQ(planned.tally.records, 5U);
  EXPECT_EQ(planned.tally.left_out.at("write without --write"), 2U);
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
  flat_out.timing = ReplayTiming::kFlatOut;
  EXPECT_EQ(plan({record(0), record(5)}, flat_out, {}, untimed).ios.size(), 2U);
}

TEST(TraceRecordSource, RepeatedTraceStartsAgainOneMeanGapAfterItsEnd) {
  TraceReplayOptions thrice;
  thrice.loops = 3;
  EXPECT_EQ(due_times(plan({record(50), record(60), record(250)}, thrice)),
            (std::vector<std::int64_t>{0, 10, 200, 300, 310, 500, 600, 610, 800}));
}

TEST(TraceRecordSource, DurationCutsAndRepeats) {
  TraceReplayOptions options;
  options.loops = 0;
  options.duration_ns = 501;
  EXPECT_EQ(due_times(plan({record(50), record(60), record(250)}, options)),
            (std::vector<std::int64_t>{0, 10, 200, 300, 310, 500}));
}

TEST(TraceRecordSource, EndlessRepetitionOfNothingEnds) {
  TraceReplayOptions options;
  options.loops = 0;
  EXPECT_TRUE(plan({record(0, IoOp::kWrite)}, options).ios.empty());
}

TEST(TraceRecordSource, RateStretchesTimeAndKeepsTheShapeOfBursts) {
  TraceReplayOptions options;
  options.rate = RatePlan{{1000.0}, 0};
  // Five I/Os in 400 ns; at 1,000 a second they take 5 ms.
  EXPECT_EQ(due_times(plan({record(0), record(0), record(0), record(100), record(400)}, options)),
            (std::vector<std::int64_t>{0, 0, 0, 1'250'000, 5'000'000}));
}

TEST(TraceRecordSource, RampGoesThroughItsLevelsAndRepeatsTheTrace) {
  TraceReplayOptions options;
  options.rate = RatePlan{RatePlan::parse_ramp("1000:3000:1000"), 1'000'000'000};
  options.loops = 0;
  std::vector<IoRecord> records;
  for (int i = 0; i < 101; ++i) records.push_back(record(i * 7000));
  const Planned planned = plan(records, options);
  std::vector<int> per_level(3);
  for (const PlannedIo& io : planned.ios) {
    ++per_level[io.level];
    EXPECT_EQ(io.due_ns / 1'000'000'000, io.level);
  }
  for (int level = 0; level < 3; ++level) {
    EXPECT_NEAR(per_level[static_cast<std::size_t>(level)], 1000 * (level + 1), 30);
  }
}

TEST(TraceRecordSource, CopiesAreIssuedTogetherEachInItsRegion) {
  TraceReplayOptions options;
  options.copies = 8;
  options.own_regions = true;
  const Planned planned = plan({record(0), record(100)}, options);
  ASSERT_EQ(planned.ios.size(), 16U);
  EXPECT_EQ(planned.tally.records, 16U);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(planned.ios[i].due_ns, i < 8 ? 0 : 100);
    EXPECT_EQ(planned.ios[i].offset_bytes, (i % 8) * (1U << 27) + 4096);
    EXPECT_EQ(planned.ios[i].stream, i % 8);
  }
}

TEST(TraceRecordSource, CopiesInTheSamePlaceShareTheirAddresses) {
  TraceReplayOptions options;
  options.copies = 3;
  for (const PlannedIo& io : plan({record(0)}, options).ios) EXPECT_EQ(io.offset_bytes, 4096U);
}

TEST(TraceRecordSource, RecordedDurationIsThatOfTheRecordWhateverIsIssued) {
  TraceReplayOptions options;
  options.speed = 10;
  const Planned planned =
      plan({record(100, IoOp::kWrite), record(400), record(5100, IoOp::kWrite)}, options);
  EXPECT_EQ(planned.tally.recorded_duration_ns, 5000);
  options.timing = ReplayTiming::kFlatOut;
  EXPECT_EQ(plan({record(0), record(70)}, options).tally.recorded_duration_ns, 70);
  const ColumnSet untimed{Column::kOffset, Column::kLength};
  EXPECT_EQ(plan({record(0)}, options, {}, untimed).tally.recorded_duration_ns, std::nullopt);
}

TEST(TraceRecordSource, DependentTimingNeedsCompletionTimes) {
  TraceReplayOptions options;
  options.timing = ReplayTiming::kDependent;
  EXPECT_THROW(plan({record(0)}, options, {}, {Column::kIssue, Column::kOffset}), Error);
  std::vector<IoRecord> records{record(0), record(50), record(500, IoOp::kWrite), record(900)};
  for (IoRecord& one : records) one.complete_ns = one.queue_ns + 100;
  options.speed = 2;
  const Planned planned = plan(records, options);
  // What is left out leaves its time behind: from 150, when the second one completed, to 900.
  EXPECT_EQ(due_times(planned), (std::vector<std::int64_t>{0, 25, 375}));
  EXPECT_EQ(planned.ios[1].overlapped, 0b1U);
  EXPECT_EQ(planned.ios[2].overlapped, 0U);
}

TEST(TraceRecordSource, WhatTheInputLacksIsTold) {
  TraceTables tables = tables_of({"sda"});
  tables.losses.push_back({0, 10, 17, "ring full"});
  tables.damage.push_back({4096, 100, 0, "checksum"});
  const Planned planned = plan({record(0)}, {}, tables);
  EXPECT_EQ(planned.tally.missing.in_recording, 17U);
  EXPECT_EQ(planned.tally.missing.damaged_places, 1U);
  // A replay that ends before the trace does has met what it has read of it.
  TraceReplayOptions cut;
  cut.duration_ns = 5;
  EXPECT_EQ(plan({record(0), record(10)}, cut, tables).tally.missing.in_recording, 17U);
}

TEST(TraceRecordSource, DevicesThatShareAddressesAreTold) {
  EXPECT_EQ(plan({record(0)}).tally.notes.size(), 1U);  // sda and sdb, both to the one target
  EXPECT_TRUE(plan({record(0)}, {}, tables_of({"sda"})).tally.notes.empty());
}

TEST(MergedRecordSource, ShiftedCopiesComeInTheOrderOfTheirTimes) {
  const TargetShape target{"/dev/t", 1U << 30, 512};
  AddressMapOptions map;
  map.rules = {{"*", 0, 0}};
  const auto open = [] {
    return std::make_unique<MemoryTrace>(
        std::vector<IoRecord>{record(0), record(100), record(1000)}, tables_of({"sda"}));
  };
  std::vector<std::unique_ptr<RecordSource>> copies;
  for (int copy = 0; copy < 3; ++copy) {
    TraceReplayOptions options;
    options.shift_ns = copy * 70;
    copies.push_back(
        std::make_unique<TraceRecordSource>(open, AddressMap{{&target, 1}, map}, options));
  }
  MergedRecordSource merged{std::move(copies)};
  std::vector<PlannedIo> ios(20);
  ASSERT_EQ(merged.next(ios), 9U);
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < 9; ++i) times.push_back(ios[i].due_ns);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 70, 100, 140, 170, 240, 1000, 1070, 1140}));
  EXPECT_EQ(ios[3].stream, 2U);
  EXPECT_EQ(merged.next(ios), 0U);
  EXPECT_EQ(merged.tally().records, 9U);
}

TEST(RatePlan, RampIsReadOrRefused) {
  EXPECT_EQ(RatePlan::parse_ramp("100:300:100"), (std::vector<double>{100, 200, 300}));
  EXPECT_EQ(RatePlan::parse_ramp("100:299:100"), (std::vector<double>{100, 200}));
  for (const double absurd : {0.0, -1.0, 1e-300, 1e300}) {
    EXPECT_THROW((RatePlan{{absurd}, 0}), UsageError) << absurd;
  }
  for (const char* bad : {"", "1", "1:2", "1:2:0", "3:2:1", "1:2:1x", "1:1e9:1", "-1:2:1"}) {
    EXPECT_THROW(static_cast<void>(RatePlan::parse_ramp(bad)), UsageError) << bad;
  }
}

}  // namespace
}  // namespace rigel
