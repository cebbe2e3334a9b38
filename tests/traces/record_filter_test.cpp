#include "traces/record_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMs = 1'000'000;

// Ten records, 1 ms apart, of 4 KiB at 0, 4 KiB, …; devices and streams take turns; every third
// one is a write.
std::vector<IoRecord> ten_records() {
  std::vector<IoRecord> records;
  for (std::uint32_t i = 0; i < 10; ++i) {
    IoRecord record;
    record.queue_ns = i * kMs;
    record.offset_bytes = i * 4096ULL;
    record.length_bytes = 4096;
    record.device = i % 2;
    record.stream = i % 3;
    record.op = i % 3 == 0 ? IoOp::kWrite : IoOp::kRead;
    records.push_back(record);
  }
  return records;
}

TraceTables two_devices() {
  TraceTables tables = tables_of({"sda", "nvme0n1"}, {"ora_lgwr_X", "ora_dbw0_X", "oracle_9_X"});
  tables.devices[1].major = 259;
  tables.devices[1].minor = 3;
  tables.devices[1].wwid = "eui.0025";
  tables.streams[0].role = "lgwr";
  tables.streams[1].role = "dbwr";
  return tables;
}

std::unique_ptr<TraceSource> filtered(FilterCriteria criteria,
                                      ColumnSet columns = ColumnSet::all()) {
  return filter_records(std::make_unique<MemoryTrace>(ten_records(), two_devices(), columns),
                        std::move(criteria));
}

// Which of the ten are left, by number.
std::vector<std::uint64_t> kept(FilterCriteria criteria) {
  std::vector<std::uint64_t> numbers;
  for (const IoRecord& record : read_all(*filtered(std::move(criteria)))) {
    numbers.push_back(record.offset_bytes / 4096);
  }
  return numbers;
}

TEST(RecordFilter, TimeWindowIsHalfOpen) {
  FilterCriteria criteria;
  criteria.from_ns = 3 * kMs;
  criteria.to_ns = 6 * kMs;
  EXPECT_THAT(kept(criteria), ElementsAre(3, 4, 5));
}

TEST(RecordFilter, DevicesAreNamedByPatternByNumberOrByWwid) {
  FilterCriteria criteria;
  for (const char* name : {"nvme*", "259:3", "eui.0025"}) {
    criteria.devices = {name};
    EXPECT_THAT(kept(criteria), ElementsAre(1, 3, 5, 7, 9)) << name;
  }
  criteria.devices = {"sda", "nvme0n1"};
  EXPECT_EQ(kept(criteria).size(), 10U);
}

TEST(RecordFilter, StreamsAreNamedByPatternOrPidAndRolesByName) {
  FilterCriteria by_name;
  by_name.streams = {"ora_*"};
  EXPECT_THAT(kept(by_name), ElementsAre(0, 1, 3, 4, 6, 7, 9));
  FilterCriteria by_pid;
  by_pid.streams = {"3"};
  EXPECT_THAT(kept(by_pid), ElementsAre(2, 5, 8));
  FilterCriteria by_role;
  by_role.roles = {"dbwr"};
  EXPECT_THAT(kept(by_role), ElementsAre(1, 4, 7));
}

TEST(RecordFilter, OffsetRangeKeepsWhatTouchesIt) {
  FilterCriteria criteria;
  criteria.first_offset_bytes = 4096 * 3 - 1;  // the last byte of record 2
  criteria.end_offset_bytes = 4096 * 5 + 1;    // the first byte of record 5
  EXPECT_THAT(kept(criteria), ElementsAre(2, 3, 4, 5));
  criteria.first_offset_bytes = 4096 * 3;
  criteria.end_offset_bytes = 4096 * 5;
  EXPECT_THAT(kept(criteria), ElementsAre(3, 4));
}

TEST(RecordFilter, LengthLimitsBelongToTheRange) {
  FilterCriteria criteria;
  criteria.min_length_bytes = criteria.max_length_bytes = 4096;
  EXPECT_EQ(kept(criteria).size(), 10U);
  criteria.min_length_bytes = 4097;
  criteria.max_length_bytes = 8192;
  EXPECT_THAT(kept(criteria), IsEmpty());
}

TEST(RecordFilter, EveryNthCountsWhatTheOtherCriteriaLeave) {
  FilterCriteria criteria;
  criteria.every = 4;
  EXPECT_THAT(kept(criteria), ElementsAre(0, 4, 8));
  criteria.ops = {IoOp::kRead};  // 1 2 4 5 7 8
  criteria.every = 2;
  EXPECT_THAT(kept(criteria), ElementsAre(1, 4, 7));
}

TEST(RecordFilter, CriteriaCombine) {
  FilterCriteria criteria;
  criteria.from_ns = kMs;
  criteria.devices = {"nvme0n1"};  // odd
  criteria.ops = {IoOp::kRead};    // not 3, 9
  criteria.streams = {"ora_dbw0_X"};
  EXPECT_THAT(kept(criteria), ElementsAre(1, 7));
}

TEST(RecordFilter, NamesThatMatchNothingAreTold) {
  FilterCriteria criteria;
  criteria.devices = {"sd?", "sdz"};
  criteria.streams = {"no_such_process"};
  const auto source = filtered(criteria);
  EXPECT_THAT(read_all(*source), IsEmpty());
  EXPECT_THAT(source->tables().warnings,
              ElementsAre("no device is 'sdz'", "no process is 'no_such_process'"));
}

TEST(RecordFilter, LossesOutsideOfTheWindowAreLeftOut) {
  TraceTables tables = two_devices();
  tables.losses = {
      {0, kMs, 5, "before"}, {2 * kMs, 4 * kMs, 7, "across"}, {8 * kMs, 9 * kMs, 9, "after"}};
  FilterCriteria criteria;
  criteria.from_ns = 3 * kMs;
  criteria.to_ns = 8 * kMs;
  const auto source =
      filter_records(std::make_unique<MemoryTrace>(ten_records(), tables), criteria);
  EXPECT_EQ(read_all(*source).size(), 5U);
  EXPECT_EQ(missing_records(source->tables()).in_recording, 7U);
}

TEST(RecordFilter, AskingForWhatTheTraceDoesNotTellIsAnError) {
  FilterCriteria criteria;
  criteria.roles = {"lgwr"};
  const auto source = filtered(criteria, {Column::kOffset, Column::kLength});
  RecordBatch batch;
  try {
    source->next(batch);
    ADD_FAILURE() << "took it";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("by role"));
  }
  criteria = {};
  criteria.every = 0;
  EXPECT_THROW(static_cast<void>(filtered(criteria)), UsageError);
}

}  // namespace
}  // namespace rigel
