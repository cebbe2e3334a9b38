#include "traces/trace_merger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/memory_trace.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<IoRecord> at_times(const std::vector<std::int64_t>& times, std::uint32_t device = 0) {
  std::vector<IoRecord> records;
  for (const std::int64_t time : times) {
    IoRecord record;
    record.queue_ns = time;
    record.device = device;
    records.push_back(record);
  }
  return records;
}

std::unique_ptr<TraceSource> trace(std::vector<IoRecord> records, TraceTables tables,
                                   ColumnSet columns = ColumnSet::all()) {
  return std::make_unique<MemoryTrace>(std::move(records), std::move(tables), columns);
}

std::unique_ptr<TraceSource> merged(std::unique_ptr<TraceSource> a,
                                    std::unique_ptr<TraceSource> b) {
  std::vector<std::unique_ptr<TraceSource>> inputs;
  inputs.push_back(std::move(a));
  inputs.push_back(std::move(b));
  return merge_traces(std::move(inputs), {"first", "second"});
}

std::vector<std::int64_t> times_of(const std::vector<IoRecord>& records) {
  std::vector<std::int64_t> times;
  for (const IoRecord& record : records) times.push_back(record.queue_ns);
  return times;
}

TEST(TraceMerger, RecordsComeInTimeOrderAndTiesInTheInputsOrder) {
  const auto source = merged(trace(at_times({1, 4, 5, 9, 10, 11, 12}), tables_of({"sda"})),
                             trace(at_times({2, 4, 6, 6, 13}), tables_of({"sdb"})));
  const auto records = read_all(*source);
  EXPECT_THAT(times_of(records), ElementsAre(1, 2, 4, 4, 5, 6, 6, 9, 10, 11, 12, 13));
  EXPECT_EQ(source->tables().devices.at(records[2].device).name, "sda");
  EXPECT_EQ(source->tables().devices.at(records[3].device).name, "sdb");
}

TEST(TraceMerger, DamageAndWarningsSayWhichInputTheyAreOf) {
  TraceTables cut = tables_of({"sda"});
  cut.damage = {{4096, 10, 1, "cut short"}};
  cut.warnings = {"line 5: time goes back"};
  const auto source = merged(trace(at_times({1}), tables_of({"sda"})), trace(at_times({2}), cut));
  static_cast<void>(read_all(*source));
  ASSERT_EQ(source->tables().damage.size(), 1U);
  EXPECT_EQ(source->tables().damage[0].offset_bytes, 4096U);
  EXPECT_EQ(source->tables().damage[0].reason, "second: cut short");
  EXPECT_THAT(source->tables().warnings, ElementsAre("second: line 5: time goes back"));
}

TEST(TraceMerger, ClocksAreAlignedByTheWallTimeOfTheirStart) {
  TraceTables early = tables_of({"sda"});
  early.meta.start_wall_ns = 1'000'000;
  TraceTables late = tables_of({"sda"});
  late.meta.start_wall_ns = 1'000'100;
  late.losses = {{0, 5, 2, "ring full"}};
  const auto source = merged(trace(at_times({0, 7}), late), trace(at_times({50, 105}), early));
  EXPECT_THAT(times_of(read_all(*source)), ElementsAre(50, 100, 105, 107));
  EXPECT_EQ(source->tables().meta.start_wall_ns, 1'000'000);
  EXPECT_EQ(source->tables().losses.at(0).from_ns, 100);
  EXPECT_TRUE(source->tables().warnings.empty());
}

TEST(TraceMerger, AnInputWithoutAStartIsToldOf) {
  TraceTables known = tables_of({"sda"});
  known.meta.start_wall_ns = 1'000'000;
  const auto source = merged(trace(at_times({0}), known), trace(at_times({5}), tables_of({"sda"})));
  EXPECT_THAT(times_of(read_all(*source)), ElementsAre(0, 5));
  EXPECT_THAT(source->tables().warnings, ElementsAre(HasSubstr("do not tell when they began")));
}

TEST(TraceMerger, ALunSeenByTwoHostsIsOneDeviceAndNamesakesAreTwo) {
  TraceTables one = tables_of({"sda", "dm-1"});
  one.meta.host = "rac1";
  one.devices[1].wwid = "naa.1";
  TraceTables two = tables_of({"dm-7", "sda"});
  two.meta.host = "rac2";
  two.devices[0].wwid = "naa.1";
  std::vector<IoRecord> first = at_times({1}, 1);
  std::vector<IoRecord> second = at_times({2}, 0);
  second.push_back(at_times({3}, 1).front());
  const auto source = merged(trace(first, one), trace(second, two));
  const auto records = read_all(*source);
  const auto& devices = source->tables().devices;
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[records[0].device].name, "dm-1");
  EXPECT_EQ(devices[records[1].device].name, "dm-1");
  EXPECT_EQ(devices[records[2].device].name, "sda@rac2");
}

TEST(TraceMerger, TasksOfOneHostAreOneAndOfTwoHostsTwo) {
  TraceTables tables = tables_of({"sda"}, {"postgres", "fio"});
  tables.meta.host = "a";
  TraceTables same = tables_of({"sda"}, {"postgres"});
  same.meta.host = "a";
  TraceTables other = same;
  other.meta.host = "b";
  const auto streams_with = [&](const TraceTables& second) {
    const auto source = merged(trace(at_times({1}), tables), trace(at_times({2}), second));
    EXPECT_EQ(read_all(*source).size(), 2U);
    return source->tables().streams.size();
  };
  EXPECT_EQ(streams_with(same), 2U);
  EXPECT_EQ(streams_with(other), 3U);
}

TEST(TraceMerger, AColumnOfOnlyOneInputIsUnknownForTheOther) {
  std::vector<IoRecord> full = at_times({1, 3, 5, 7});
  for (IoRecord& record : full) record.complete_ns = record.queue_ns + 100;
  const auto source = merged(trace(full, tables_of({"sda"})),
                             trace(at_times({2}), tables_of({"sda"}), {Column::kQueue}));
  const auto records = read_all(*source);
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[0].complete_ns, 101);
  EXPECT_EQ(records[1].complete_ns, kNoTime);
  EXPECT_EQ(records[4].complete_ns, 107);
}

TEST(TraceMerger, EmptyInputsDoNotMatter) {
  const auto source =
      merged(trace({}, tables_of({"sda"})), trace(at_times({2}), tables_of({"sda"})));
  EXPECT_THAT(times_of(read_all(*source)), ElementsAre(2));
}

}  // namespace
}  // namespace rigel
