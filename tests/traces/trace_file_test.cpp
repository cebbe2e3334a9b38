// What TraceWriter wrote, TraceReader reads: the same records, tables and times.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/traces/rgt_fixture.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

TEST(TraceFile, RecordsComeBackAsTheyWere) {
  const std::vector<IoRecord> records = busy_records(1000);
  const ReadTrace back = read_trace(write_trace(records, busy_tables()));
  EXPECT_EQ(back.records, records);
  EXPECT_EQ(back.present, ColumnSet::all());
  EXPECT_TRUE(back.tables.damage.empty());
}

TEST(TraceFile, ExtremeValuesOfEveryColumnSurvive) {
  std::vector<IoRecord> records;
  for (const std::int64_t time : {kLeast + 1, kNoTime, kGreatest, std::int64_t{0}, std::int64_t{-1},
                                  kNoTime, std::int64_t{1}}) {
    for (const std::uint64_t offset :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      IoRecord record;
      record.queue_ns = time;
      record.issue_ns = offset == 0 ? kNoTime : kGreatest;
      record.complete_ns = offset == 0 ? kLeast + 1 : time;
      record.offset_bytes = offset;
      record.length_bytes = static_cast<std::uint32_t>(offset);
      record.device = 1;
      record.stream = 2;
      record.flags = ~std::uint32_t{0} - static_cast<std::uint32_t>(records.size());
      record.status = offset == 0 ? std::numeric_limits<std::int32_t>::min()
                                  : std::numeric_limits<std::int32_t>::max();
      record.cpu = offset == 0 ? kNoCpu : std::uint16_t{0};
      record.op = IoOp::kOther;
      records.push_back(record);
    }
  }
  EXPECT_EQ(read_trace(write_trace(records, busy_tables())).records, records);
}

TEST(TraceFile, RandomRecordsSurviveWhateverTheirRange) {
  std::mt19937_64 random{42};
  for (int round = 0; round < 64; ++round) {
    std::vector<IoRecord> records(1 + random() % 300);
    const auto value = [&] { return random() >> (random() % 64); };
    const auto time = [&] {
      return random() % 8 == 0 ? kNoTime : static_cast<std::int64_t>(value());
    };
    for (IoRecord& record : records) {
      record = {.queue_ns = time(),
                .issue_ns = time(),
                .complete_ns = time(),
                .offset_bytes = value(),
                .length_bytes = static_cast<std::uint32_t>(value()),
                .device = static_cast<std::uint32_t>(random() % 2),
                .stream = static_cast<std::uint32_t>(random() % 3),
                .flags = static_cast<std::uint32_t>(value()),
                .status = static_cast<std::int32_t>(value()),
                .cpu = static_cast<std::uint16_t>(value()),
                .op = static_cast<IoOp>(random() % kIoOpCount)};
    }
    ASSERT_EQ(read_trace(write_trace(records, busy_tables(), 100)).records, records) << round;
  }
}

TEST(TraceFile, BlocksAndBatchesNeedNotAgreeInSize) {
  const std::vector<IoRecord> records = busy_records(1000);
  for (const std::size_t per_block : {std::size_t{1}, std::size_t{7}, std::size_t{999}}) {
    for (const std::size_t per_batch : {std::size_t{1}, std::size_t{13}, std::size_t{1000}}) {
      const auto bytes = write_trace(records, busy_tables(), per_block, per_batch);
      EXPECT_EQ(read_trace(bytes).records, records) << per_block << ' ' << per_batch;
    }
  }
}

TEST(TraceFile, AbsentColumnsStayAbsent) {
  const ColumnSet columns{Column::kQueue, Column::kOffset, Column::kLength, Column::kOp};
  std::vector<IoRecord> records = busy_records(100);
  const ReadTrace back = read_trace(write_trace(records, busy_tables(), 64, 10, columns));
  EXPECT_EQ(back.present, columns);
  ASSERT_EQ(back.records.size(), 100U);
  EXPECT_EQ(back.records[5].issue_ns, kNoTime);
  EXPECT_EQ(back.records[5].queue_ns, records[5].queue_ns);
  EXPECT_EQ(back.records[5].cpu, kNoCpu);
}

TEST(TraceFile, OnlyTheColumnsAskedForAreDecoded) {
  const std::vector<IoRecord> records = busy_records(100);
  const auto bytes = write_trace(records, busy_tables());
  for (std::uint32_t bits = 0; bits < (1U << kColumnCount); ++bits) {
    TraceReaderOptions options;
    options.columns = ColumnSet::from_bits(bits);
    TraceReader reader{memory_source(bytes, "memory"), options};
    RecordBatch batch;
    ASSERT_TRUE(reader.next(batch));
    ASSERT_EQ(batch.present, options.columns);
    ASSERT_EQ(batch.size(), 100U);
    RecordBatch expected;
    expected.reset(options.columns);
    for (const IoRecord& record : records) expected.append(record);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(batch.record(i), expected.record(i)) << bits;
  }
}

TEST(TraceFile, AColumnOfOneValueCanBeReadAlone) {
  std::vector<IoRecord> records = busy_records(5000);
  for (IoRecord& record : records) record.device = 1;
  const ReadTrace back =
      read_trace(write_trace(records, busy_tables()), {.columns = {Column::kDevice}});
  ASSERT_EQ(back.records.size(), records.size());
  for (const IoRecord& record : back.records) EXPECT_EQ(record.device, 1U);
}

TEST(TraceFile, ColumnsMayChangeInTheMiddle) {
  std::vector<std::byte> bytes;
  TraceWriter writer{memory_sink(bytes, "memory")};
  const std::vector<IoRecord> records = busy_records(20);
  for (std::size_t i = 0; i < records.size(); ++i) {
    RecordBatch batch;
    batch.reset(i < 10 ? ColumnSet{Column::kOffset} : ColumnSet{Column::kOffset, Column::kOp});
    batch.append(records[i]);
    writer.write(batch, busy_tables());
  }
  writer.finish(busy_tables());
  TraceReader reader{memory_source(bytes, "memory")};
  RecordBatch batch;
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(batch.present, ColumnSet{Column::kOffset});
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(batch.present, (ColumnSet{Column::kOffset, Column::kOp}));
  EXPECT_EQ(batch.record(9).offset_bytes, records[19].offset_bytes);
  EXPECT_FALSE(reader.next(batch));
}

TEST(TraceFile, TablesComeBackAsTheyWere) {
  const TraceTables tables = busy_tables();
  const TraceTables back = read_trace(write_trace(busy_records(10), tables)).tables;
  EXPECT_EQ(back.meta.source, tables.meta.source);
  EXPECT_EQ(back.meta.host, tables.meta.host);
  EXPECT_EQ(back.meta.kernel, tables.meta.kernel);
  EXPECT_EQ(back.meta.clock, tables.meta.clock);
  EXPECT_EQ(back.meta.start_wall_ns, tables.meta.start_wall_ns);
  EXPECT_EQ(back.meta.extra, tables.meta.extra);
  ASSERT_EQ(back.devices.size(), tables.devices.size());
  for (std::size_t i = 0; i < tables.devices.size(); ++i) {
    EXPECT_EQ(back.devices[i].name, tables.devices[i].name);
    EXPECT_EQ(back.devices[i].major, tables.devices[i].major);
    EXPECT_EQ(back.devices[i].minor, tables.devices[i].minor);
    EXPECT_EQ(back.devices[i].size_bytes, tables.devices[i].size_bytes);
    EXPECT_EQ(back.devices[i].logical_block_bytes, tables.devices[i].logical_block_bytes);
    EXPECT_EQ(back.devices[i].wwid, tables.devices[i].wwid);
    EXPECT_EQ(back.devices[i].model, tables.devices[i].model);
    EXPECT_EQ(back.devices[i].parent, tables.devices[i].parent);
    EXPECT_EQ(back.devices[i].start_bytes, tables.devices[i].start_bytes);
  }
  ASSERT_EQ(back.streams.size(), tables.streams.size());
  for (std::size_t i = 0; i < tables.streams.size(); ++i) {
    EXPECT_EQ(back.streams[i].comm, tables.streams[i].comm);
    EXPECT_EQ(back.streams[i].pid, tables.streams[i].pid);
    EXPECT_EQ(back.streams[i].tid, tables.streams[i].tid);
    EXPECT_EQ(back.streams[i].role, tables.streams[i].role);
    EXPECT_EQ(back.streams[i].instance, tables.streams[i].instance);
    EXPECT_EQ(back.streams[i].cgroup, tables.streams[i].cgroup);
  }
  ASSERT_EQ(back.losses.size(), 1U);
  EXPECT_EQ(back.losses[0].from_ns, tables.losses[0].from_ns);
  EXPECT_EQ(back.losses[0].to_ns, tables.losses[0].to_ns);
  EXPECT_EQ(back.losses[0].count, tables.losses[0].count);
  EXPECT_EQ(back.losses[0].cause, tables.losses[0].cause);
  EXPECT_EQ(back.warnings, tables.warnings);
}

TEST(TraceFile, TablesMayGrowFromOneBatchToTheNext) {
  std::vector<std::byte> bytes;
  TraceWriter writer{memory_sink(bytes, "memory"), {.records_per_block = 10}};
  TraceTables tables;
  tables.meta.source = "test";
  for (std::uint32_t i = 0; i < 100; ++i) {
    tables.streams.emplace_back().pid = i;
    RecordBatch batch;
    batch.reset({Column::kStream});
    IoRecord record;
    record.stream = i;
    batch.append(record);
    writer.write(batch, tables);
  }
  tables.meta.extra["ended"] = "by SIGINT";
  writer.finish(tables);

  TraceReader reader{memory_source(bytes, "memory")};
  RecordBatch batch;
  std::uint32_t seen = 0;
  while (reader.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i, ++seen) {
      ASSERT_LT(batch.stream[i], reader.tables().streams.size());
      ASSERT_EQ(reader.tables().streams[batch.stream[i]].pid, seen);
    }
  }
  EXPECT_EQ(seen, 100U);
  EXPECT_EQ(reader.tables().meta.extra.at("ended"), "by SIGINT");
}

TEST(TraceFile, TablesBeforeTheFirstRecordAreKnownAtOnce) {
  const TraceReader reader{memory_source(write_trace(busy_records(10), busy_tables()), "memory")};
  EXPECT_EQ(reader.tables().meta.host, busy_tables().meta.host);
  EXPECT_EQ(reader.tables().devices.size(), busy_tables().devices.size());
}

TEST(TraceFile, FlushedRecordsAreReadableThoughTheWriterNeverFinishes) {
  std::vector<std::byte> bytes;
  TraceWriter writer{memory_sink(bytes, "memory")};
  const std::vector<IoRecord> records = busy_records(10);
  write_records(writer, records, busy_tables(), 3);
  writer.flush(busy_tables());
  const ReadTrace back = read_trace(bytes);
  EXPECT_EQ(back.records, records);
  ASSERT_EQ(back.tables.damage.size(), 1U);
  EXPECT_EQ(back.tables.damage[0].offset_bytes, bytes.size());
  EXPECT_EQ(back.tables.damage[0].length_bytes, 0U);
}

TEST(TraceFile, TraceWithoutRecordsIsATraceAllTheSame) {
  const ReadTrace back = read_trace(write_trace({}, busy_tables()));
  EXPECT_TRUE(back.records.empty());
  EXPECT_TRUE(back.tables.damage.empty());
  EXPECT_EQ(back.tables.meta.source, busy_tables().meta.source);
}

TEST(TraceFile, BlockSizesOutOfRangeAreRefused) {
  std::vector<std::byte> bytes;
  EXPECT_THROW(TraceWriter(memory_sink(bytes, "memory"), {.records_per_block = 0}), UsageError);
  EXPECT_THROW(TraceWriter(memory_sink(bytes, "memory"), {.records_per_block = 2'000'000}),
               UsageError);
}

}  // namespace
}  // namespace rigel
