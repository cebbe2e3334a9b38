// Totals and seeking by the footer's index, against the same question asked of all records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/traces/rgt_fixture.hpp"
#include "traces/error.hpp"
#include "traces/importer.hpp"

namespace rigel {
namespace {

// Counts what is read, and can be a pipe.
class CountingSource final : public ByteSource {
 public:
  CountingSource(std::span<const std::byte> bytes, bool may_seek, std::uint64_t& read_bytes)
      : inner_{memory_source(bytes, "memory")}, may_seek_{may_seek}, read_bytes_{read_bytes} {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t got = inner_->read(into);
    read_bytes_ += got;
    return got;
  }
  std::optional<std::uint64_t> size() const override {
    return may_seek_ ? inner_->size() : std::nullopt;
  }
  void seek(std::uint64_t offset_bytes) override { inner_->seek(offset_bytes); }
  const std::string& name() const override { return inner_->name(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  bool may_seek_;
  std::uint64_t& read_bytes_;
};

std::vector<IoRecord> read_times(std::span<const std::byte> bytes, bool may_seek,
                                 TraceReaderOptions options, std::uint64_t& read_bytes) {
  TraceReader reader{std::make_unique<CountingSource>(bytes, may_seek, read_bytes), options};
  std::vector<IoRecord> records;
  RecordBatch batch;
  while (reader.next(batch)) {
    EXPECT_EQ(batch.present, options.columns);
    for (std::size_t i = 0; i < batch.size(); ++i) records.push_back(batch.record(i));
  }
  EXPECT_TRUE(reader.tables().damage.empty());
  EXPECT_EQ(reader.tables().streams.size(), busy_tables().streams.size());
  return records;
}

TEST(TraceIndex, TotalsAreKnownBeforeTheFirstRecordIsRead) {
  const std::vector<IoRecord> records = busy_records(1000);
  const TraceReader reader{memory_source(write_trace(records, busy_tables(), 64), "memory")};
  ASSERT_TRUE(reader.totals().has_value());
  EXPECT_EQ(reader.totals()->records, 1000U);
  EXPECT_EQ(reader.totals()->lost, 12U);
  EXPECT_EQ(reader.totals()->columns, ColumnSet::all().bits());
  EXPECT_EQ(reader.totals()->first_start_ns, records.front().queue_ns);
  EXPECT_EQ(reader.totals()->last_start_ns, records.back().queue_ns);
}

TEST(TraceIndex, TimeWindowGivesJustItsRecordsFromFilesAndPipes) {
  const std::vector<IoRecord> records = busy_records(2000);
  const auto bytes = write_trace(records, busy_tables(), 100);
  const std::int64_t first = records.front().queue_ns;
  const std::int64_t last = records.back().queue_ns;
  const std::int64_t step = (last - first) / 7;
  for (std::int64_t from = first - step; from <= last + step; from += step) {
    for (std::int64_t to = from; to <= last + 2 * step; to += step) {
      std::vector<IoRecord> expected;
      for (const IoRecord& record : records) {
        if (record.start_ns() >= from && record.start_ns() < to) expected.push_back(record);
      }
      for (const bool may_seek : {true, false}) {
        std::uint64_t read_bytes = 0;
        const TraceReaderOptions options{ColumnSet::all(), from, to};
        ASSERT_EQ(read_times(bytes, may_seek, options, read_bytes), expected);
      }
    }
  }
}

TEST(TraceIndex, TimeWindowNeedsNoTimeColumnsOfTheCaller) {
  const std::vector<IoRecord> records = busy_records(500);
  const auto bytes = write_trace(records, busy_tables(), 100);
  std::uint64_t read_bytes = 0;
  const TraceReaderOptions options{{Column::kOffset}, records[50].queue_ns, records[350].queue_ns};
  const std::vector<IoRecord> back = read_times(bytes, true, options, read_bytes);
  ASSERT_EQ(back.size(), 300U);
  EXPECT_EQ(back[0].queue_ns, kNoTime);
  EXPECT_EQ(back[0].offset_bytes, records[50].offset_bytes);
  EXPECT_EQ(back[299].offset_bytes, records[349].offset_bytes);
}

TEST(TraceIndex, FilesAreReadOnlyWhereTheWindowIs) {
  const std::vector<IoRecord> records = busy_records(20'000);
  const auto bytes = write_trace(records, busy_tables(), 1000);
  std::uint64_t read_bytes = 0;
  const TraceReaderOptions options{ColumnSet::all(), records[15'100].queue_ns,
                                   records[15'200].queue_ns};
  EXPECT_EQ(read_times(bytes, true, options, read_bytes).size(), 100U);
  EXPECT_LT(read_bytes, bytes.size() / 8);
}

TEST(TraceIndex, WindowOfWhoeverOpensATraceReachesTheReader) {
  const std::vector<IoRecord> records = busy_records(10'000);
  const auto bytes = write_trace(records, busy_tables(), 100);
  std::uint64_t read_bytes = 0;
  std::vector<std::unique_ptr<ByteSource>> inputs;
  inputs.push_back(std::make_unique<CountingSource>(bytes, true, read_bytes));
  OpenOptions options;
  options.from_ns = records[5000].start_ns();
  options.to_ns = records[5100].start_ns();
  const auto source = open_inputs(std::move(inputs), options);
  std::vector<IoRecord> inside;
  for (const IoRecord& record : records) {
    if (record.start_ns() >= *options.from_ns && record.start_ns() < *options.to_ns) {
      inside.push_back(record);
    }
  }
  std::vector<IoRecord> read;
  RecordBatch batch;
  while (source->next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) read.push_back(batch.record(i));
  }
  EXPECT_EQ(read, inside);
  constexpr std::size_t kHeadBytes = 65536;  // looked at to recognise the format
  EXPECT_LT(read_bytes, kHeadBytes + bytes.size() / 10);
}

TEST(TraceIndex, WindowOfATraceWithoutTimesIsAnError) {
  const auto bytes = write_trace(busy_records(100), busy_tables(), 10, 10,
                                 {Column::kOffset, Column::kLength, Column::kOp});
  const auto read = [&] { static_cast<void>(read_trace(bytes, {.from_ns = 5})); };
  EXPECT_THAT(read, testing::ThrowsMessage<Error>(testing::HasSubstr("does not tell it")));
}

TEST(TraceIndex, RecordsWithoutATimeAreOutsideOfEveryWindow) {
  std::vector<IoRecord> records = busy_records(100);
  for (IoRecord& record : records) record.queue_ns = record.issue_ns = record.complete_ns = kNoTime;
  const auto bytes = write_trace(records, busy_tables(), 10, 10);
  EXPECT_EQ(read_trace(bytes).records.size(), 100U);
  EXPECT_EQ(read_trace(bytes, {ColumnSet::all(), 0, 1'000'000'000}).records.size(), 0U);
}

TEST(TraceIndex, LostFooterMeansAScanAndNothingElse) {
  const std::vector<IoRecord> records = busy_records(500);
  auto bytes = write_trace(records, busy_tables(), 100);
  bytes.pop_back();
  const TraceReader reader{memory_source(bytes, "memory")};
  EXPECT_FALSE(reader.totals().has_value());
  const TraceReaderOptions options{ColumnSet::all(), records[250].queue_ns, records[260].queue_ns};
  EXPECT_EQ(read_trace(bytes, options).records.size(), 10U);
}

}  // namespace
}  // namespace rigel
