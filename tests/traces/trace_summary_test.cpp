#include "traces/trace_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/traces/memory_trace.hpp"
#include "traces/missing_records.hpp"
#include "traces/outstanding.hpp"
#include "traces/sequential_runs.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kMs = 1'000'000;

// 100 reads of 8 KiB, one each 10 ms, 1 ms queued and 4 ms served, up and down over 50 blocks; then
// a write of 64 KiB by the log writer on another device that fails, and a flush.
std::vector<IoRecord> small_trace() {
  std::vector<IoRecord> records;
  for (std::uint32_t i = 0; i < 100; ++i) {
    IoRecord record;
    record.queue_ns = i * 10 * kMs;
    record.issue_ns = record.queue_ns + kMs;
    record.complete_ns = record.issue_ns + 4 * kMs;
    record.offset_bytes = (i < 50 ? i : 99 - i) * 8192ULL;
    record.length_bytes = 8192;
    records.push_back(record);
  }
  IoRecord write = records.back();
  write.op = IoOp::kWrite;
  write.device = 1;
  write.stream = 1;
  write.queue_ns = 1000 * kMs;
  write.issue_ns = write.queue_ns;
  write.complete_ns = write.issue_ns + 20 * kMs;
  write.length_bytes = 65536;
  write.status = 5;
  records.push_back(write);
  IoRecord flush = write;
  flush.op = IoOp::kFlush;
  flush.offset_bytes = flush.length_bytes = 0;
  flush.status = 0;
  records.push_back(flush);
  return records;
}

TraceSummary summary_of(std::vector<IoRecord> records, ColumnSet columns = ColumnSet::all()) {
  TraceTables tables = tables_of({"data", "redo"}, {"oracle_42", "ora_lgwr"});
  tables.streams[1].role = "lgwr";
  tables.losses = {{0, 5, 7, "ring full"}};
  MemoryTrace trace{std::move(records), tables, columns};
  return summarize(trace);
}

// A batch, then one after a gap in the file; what is lost beyond the gaps of time is no concern.
class DamagedTrace final : public TraceSource {
 public:
  bool next(RecordBatch& batch) override {
    if (call_ == 2) return false;
    batch.reset(ColumnSet::all());
    for (std::int64_t i = 0; i < 100; ++i) {
      IoRecord record;
      record.queue_ns = call_ * 4'000'000'000 + i * 10'000'000;
      record.op = IoOp::kRead;
      record.length_bytes = 4096;
      batch.append(record);
    }
    if (call_++ == 1) tables_.damage.push_back({4096, 1234, 100, "checksum"});
    return true;
  }
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  std::int64_t call_ = 0;
  TraceTables tables_ = tables_of({"sda"});
};

// Of each cell of a timeline from 0 to 1 s and from 4 to 5 s.
void expect_gap(const TraceSummary& summary, double from_s, double to_s) {
  ASSERT_EQ(summary.timeline_unknown.size(), summary.timeline.size());
  const double cell_s = static_cast<double>(summary.timeline_cell_ns) * 1e-9;
  for (std::size_t i = 0; i < summary.timeline.size(); ++i) {
    const double begin = static_cast<double>(i) * cell_s;
    const bool empty = summary.timeline[i].records == 0;
    const bool within = begin + cell_s > from_s && begin <= to_s;
    EXPECT_EQ(summary.timeline_unknown[i], empty && within) << begin;
  }
}

TEST(TraceSummary, WhereRecordsAreMissingNothingIsKnownOfTheTime) {
  DamagedTrace damaged;
  expect_gap(summarize(damaged), 0.99, 4);
  std::vector<IoRecord> records;
  for (std::int64_t i = 0; i < 200; ++i) {
    IoRecord record;
    record.queue_ns = 7 + (i < 100 ? i : i + 300) * 10'000'000;
    record.op = IoOp::kRead;
    record.length_bytes = 4096;
    records.push_back(record);
  }
  TraceTables tables = tables_of({"sda"});
  tables.losses = {{2'000'000'007, 3'000'000'007, 7, "ring full"}, {0, 0, 5, "when is not known"}};
  MemoryTrace lost{records, tables};
  expect_gap(summarize(lost), 2, 3);
}

TEST(TraceSummary, CountsByOperationDeviceAndProcess) {
  const TraceSummary summary = summary_of(small_trace());
  EXPECT_EQ(summary.records, 102U);
  EXPECT_EQ(summary.totals.of(IoOp::kRead).records, 100U);
  EXPECT_EQ(summary.totals.of(IoOp::kRead).bytes, 819'200U);
  EXPECT_EQ(summary.totals.of(IoOp::kWrite).bytes, 65'536U);
  EXPECT_EQ(summary.totals.of(IoOp::kFlush).records, 1U);
  EXPECT_EQ(summary.errors.at(5), 1U);
  EXPECT_EQ(missing_records(summary.tables).in_recording, 7U);
  ASSERT_EQ(summary.devices.size(), 2U);
  EXPECT_EQ(summary.devices[0].device.name, "data");
  EXPECT_EQ(summary.devices[1].totals.all().records, 2U);
  ASSERT_EQ(summary.streams.size(), 2U);
  EXPECT_EQ(summary.streams[1].comm, "ora_lgwr");
  EXPECT_EQ(summary.streams[1].role, "lgwr");
  EXPECT_EQ(summary.read_sizes[13], 100U);
  EXPECT_EQ(summary.write_sizes[16], 1U);
}

TEST(TraceSummary, LatencyIsKeptByOperationByRoleAndByPart) {
  const TraceSummary summary = summary_of(small_trace());
  const LatencyGroup& reads = *summary.op_latency[0];
  EXPECT_EQ(reads.queue.max_ns(), kMs);
  EXPECT_EQ(reads.service.max_ns(), 4 * kMs);
  EXPECT_EQ(reads.response.max_ns(), 5 * kMs);
  EXPECT_EQ(reads.response.count(), 100U);
  EXPECT_EQ(summary.op_latency[static_cast<std::size_t>(IoOp::kDiscard)], nullptr);
  EXPECT_EQ(summary.role_latency.at("lgwr").service.count(), 2U);
  EXPECT_EQ(summary.role_latency.at("").service.count(), 100U);
}

TEST(TraceSummary, TimelinesByRoleAddUpToTheWholeAndTheLatencyMapHoldsEveryAnswer) {
  const TraceSummary summary = summary_of(small_trace());
  std::uint64_t records = 0;
  for (const auto& [role, cells] : summary.role_timelines) {
    EXPECT_LE(cells.size(), summary.timeline.size());
    for (const Timeline::Cell& cell : cells) records += cell.records;
  }
  EXPECT_EQ(records, 102U);
  ASSERT_EQ(summary.role_timelines.count("lgwr"), 1U);
  std::uint64_t answered = 0;
  for (const auto& row : summary.latency_map.rows) {
    answered = std::accumulate(row.begin(), row.end(), answered);
  }
  EXPECT_EQ(answered, summary.totals.completed);
  EXPECT_LE(summary.latency_map.bounds_ns.front(), 5'000'000U);
  EXPECT_GT(summary.latency_map.bounds_ns.back(), 20'000'000U);
}

TEST(TraceSummary, TimesAndOutstandingFollowLittlesLaw) {
  const TraceSummary summary = summary_of(small_trace());
  EXPECT_EQ(summary.duration_ns, 1020 * kMs);
  EXPECT_EQ(summary.peak_second_records, 100U);
  // 100 x 5 ms and 2 x 20 ms of 1,020 ms.
  EXPECT_NEAR(summary.mean_outstanding, 540.0 / 1020, 1e-9);
  EXPECT_EQ(summary.max_outstanding, 2U);
}

TEST(TraceSummary, FootprintCountsPagesOnceAndReReadsTheRest) {
  const TraceSummary summary = summary_of(small_trace());
  EXPECT_EQ(summary.reads.accesses, 200U);
  EXPECT_EQ(summary.reads.distinct, 100U);
  EXPECT_DOUBLE_EQ(summary.reads.ratio(), 0.5);
  EXPECT_EQ(summary.reads.span, 100U);
  EXPECT_EQ(summary.writes.distinct, 16U);
  EXPECT_EQ(summary.footprint_pages, 116U);
}

TEST(TraceSummary, ScanningUpIsSequentialAndScanningDownIsNot) {
  const TraceSummary summary = summary_of(small_trace());
  EXPECT_EQ(summary.totals.of(IoOp::kRead).sequential, 49U);
}

TEST(TraceSummary, WithoutTimesTheRestIsStillTold) {
  const TraceSummary summary = summary_of(small_trace(), {Column::kOffset, Column::kLength});
  EXPECT_FALSE(summary.has_times);
  EXPECT_EQ(summary.records, 102U);
  EXPECT_EQ(summary.totals.completed, 0U);
  EXPECT_TRUE(summary.streams.empty());
  EXPECT_GT(summary.footprint_pages, 0U);
}

TEST(TraceSummary, OfNothingIsAllZero) {
  const TraceSummary summary = summary_of({});
  EXPECT_EQ(summary.records, 0U);
  EXPECT_EQ(summary.duration_ns, 0);
  EXPECT_TRUE(summary.devices.empty());
}

TEST(TraceSummary, AbsurdTimesAndPlacesDoNoHarm) {
  std::vector<IoRecord> records = small_trace();
  records[3].queue_ns = std::numeric_limits<std::int64_t>::min() + 1;
  records[4].complete_ns = std::numeric_limits<std::int64_t>::max();
  records[5].offset_bytes = std::numeric_limits<std::uint64_t>::max() - 100;
  records[6].length_bytes = std::numeric_limits<std::uint32_t>::max();
  const TraceSummary summary = summary_of(records);
  EXPECT_EQ(summary.records, 102U);
  EXPECT_EQ(summary.duration_ns, std::numeric_limits<std::int64_t>::max());
}

TEST(SequentialRuns, InterleavedScansOfOneStreamAreSequential) {
  SequentialRuns runs;
  std::size_t sequential = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (std::uint64_t file = 0; file < 8; ++file) {
      sequential += runs.add(1, 0, (file << 30) + i * 4096, 4096) ? 1 : 0;
    }
  }
  EXPECT_EQ(sequential, 8U * 99);
}

TEST(SequentialRuns, OfOtherStreamsAndDevicesDoNotCount) {
  SequentialRuns runs;
  EXPECT_FALSE(runs.add(1, 0, 0, 4096));
  EXPECT_FALSE(runs.add(2, 0, 4096, 4096));
  EXPECT_FALSE(runs.add(1, 1, 4096, 4096));
  EXPECT_TRUE(runs.add(1, 0, 4096, 4096));
}

TEST(Outstanding, CountsWhatOverlaps) {
  Outstanding outstanding;
  outstanding.add(0, 10);
  outstanding.add(5, 20);
  outstanding.add(9, 11);
  EXPECT_EQ(outstanding.max(), 3U);
  outstanding.add(20, 30);  // the others are over, the second just so
  EXPECT_EQ(outstanding.max(), 3U);
  EXPECT_DOUBLE_EQ(outstanding.total_ns(), 10 + 15 + 2 + 10);
}

}  // namespace
}  // namespace rigel
