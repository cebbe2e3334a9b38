#include "replay/io_recorder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <thread>

#include "tests/traces/memory_trace.hpp"

namespace rigel {
namespace {

IoRecord read_of(std::int64_t issue_ns, std::uint64_t offset_bytes = 0) {
  IoRecord record;
  record.issue_ns = issue_ns;
  record.offset_bytes = offset_bytes;
  record.length_bytes = 8192;
  return record;
}

class IoRecorderTest : public testing::Test {
 protected:
  static RunRecording into(TraceSink& sink) {
    return {.sink = &sink, .flush = {}, .add_streams = {}, .tables = tables_of({"sdx"})};
  }
  static void expect_ordered(const std::vector<IoRecord>& records) {
    for (std::size_t i = 1; i < records.size(); ++i) {
      ASSERT_LE(records[i - 1].issue_ns, records[i].issue_ns) << i;
    }
  }
  MemorySink sink_;
};

TEST_F(IoRecorderTest, RecordsAreInOrderOfIssueWhateverCompletesFirst) {
  IoRecorder recorder{into(sink_)};
  RecordingLane& lane = recorder.add_lane(3);
  recorder.start(1000);
  lane.issued(0, read_of(1000, 111));
  lane.issued(1, read_of(1010, 222));
  lane.completed(1, 1020, 0);
  lane.issued(2, read_of(1030, 333));
  lane.completed(2, 1040, EIO);
  lane.completed(0, 1050, 0);
  lane.issued(0, read_of(1060, 444));  // the slot again
  lane.completed(0, 1070, 0);
  recorder.finish();
  ASSERT_EQ(sink_.records.size(), 4U);
  EXPECT_EQ(sink_.records[0].offset_bytes, 111U);
  EXPECT_EQ(sink_.records[0].issue_ns, 0);
  EXPECT_EQ(sink_.records[0].complete_ns, 50);
  EXPECT_EQ(sink_.records[1].offset_bytes, 222U);
  EXPECT_EQ(sink_.records[1].complete_ns, 20);
  EXPECT_EQ(sink_.records[2].offset_bytes, 333U);
  EXPECT_EQ(sink_.records[2].status, EIO);
  EXPECT_EQ(sink_.records[3].offset_bytes, 444U);
  EXPECT_EQ(sink_.records[3].issue_ns, 60);
  EXPECT_EQ(sink_.tables_written.meta.clock, "CLOCK_MONOTONIC");
  EXPECT_TRUE(sink_.finished);
}

TEST_F(IoRecorderTest, LanesOfSeveralThreadsBecomeOneOrder) {
  IoRecorder recorder{into(sink_)};
  constexpr std::int64_t kEach = 100'000;
  RecordingLane& even = recorder.add_lane(1);
  RecordingLane& odd = recorder.add_lane(1);
  recorder.start(0);
  const auto issue = [](RecordingLane& lane, std::int64_t first) {
    for (std::int64_t i = 0; i < kEach; ++i) {
      lane.passed(2 * i + first);
      lane.issued(0, read_of(2 * i + first));
      lane.completed(0, 2 * i + first + 1, 0);
    }
    lane.passed(std::numeric_limits<std::int64_t>::max());
  };
  std::thread other{[&] { issue(odd, 1); }};
  issue(even, 0);
  other.join();
  recorder.finish();
  EXPECT_EQ(sink_.records.size() + recorder.lost(), 2U * kEach);
  EXPECT_EQ(sink_.records.size(), recorder.records());
  EXPECT_EQ(recorder.out_of_order(), 0U);
  expect_ordered(sink_.records);
}

TEST_F(IoRecorderTest, WhatNeverCompletedIsThereWithoutACompletion) {
  IoRecorder recorder{into(sink_)};
  RecordingLane& lane = recorder.add_lane(2);
  recorder.start(0);
  lane.issued(0, read_of(1));
  lane.issued(1, read_of(2));
  lane.completed(1, 3, 0);
  recorder.finish();
  ASSERT_EQ(sink_.records.size(), 2U);
  EXPECT_EQ(sink_.records[0].complete_ns, kNoTime);
  EXPECT_EQ(sink_.records[0].flags, io_flag::kInFlightAtStop);
  EXPECT_EQ(sink_.records[1].flags, 0U);
}

TEST_F(IoRecorderTest, AStuckIoIsSetAsideAndHoldsUpNoMoreThanTheWindow) {
  IoRecorder recorder{into(sink_)};
  RecordingLane& lane = recorder.add_lane(2);
  recorder.start(0);
  lane.issued(0, read_of(0, 777));
  const std::int64_t others = 3 * static_cast<std::int64_t>(IoRecorder::kWindowRecords);
  for (std::int64_t i = 1; i <= others; ++i) {
    lane.issued(1, read_of(i));
    lane.completed(1, i, 0);
    // Never faster than the recorder takes it in: a loss is not what this is about.
    if (i % 16384 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  lane.completed(0, others + 1, 0);
  recorder.finish();
  EXPECT_EQ(recorder.lost() + sink_.records.size(), static_cast<std::uint64_t>(others) + 1);
  EXPECT_EQ(recorder.out_of_order(), 1U);
  EXPECT_EQ(sink_.records.back().offset_bytes, 777U);
  EXPECT_EQ(sink_.records.back().complete_ns, others + 1);
}

// Writes nothing until it is let go.
class StuckSink final : public TraceSink {
 public:
  void write(const RecordBatch&, const TraceTables&) override {
    while (!go) std::this_thread::yield();
  }
  void finish(const TraceTables& tables) override { losses = tables.losses; }
  std::atomic<bool> go{false};
  std::vector<Loss> losses;
};

TEST_F(IoRecorderTest, WhatFindsNoRoomIsALossOfTheTraceAndNeverWaits) {
  StuckSink sink;
  IoRecorder recorder{into(sink)};
  RecordingLane& lane = recorder.add_lane(1);
  recorder.start(100);
  constexpr std::int64_t kIos = 400'000;
  for (std::int64_t i = 0; i < kIos; ++i) {
    lane.issued(0, read_of(100 + i));
    lane.completed(0, 100 + i, 0);
  }
  sink.go = true;
  recorder.finish();
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_GT(recorder.lost(), 0U);
  EXPECT_EQ(recorder.lost() + recorder.records(), static_cast<std::uint64_t>(kIos));
  EXPECT_EQ(sink.losses[0].count, recorder.lost());
  EXPECT_EQ(sink.losses[0].to_ns, kIos - 1);
}

class FullDisk final : public TraceSink {
 public:
  void write(const RecordBatch&, const TraceTables&) override { throw std::runtime_error{"full"}; }
  void finish(const TraceTables&) override {}
};

TEST_F(IoRecorderTest, AFullDiskIsToldAtTheEndAndDisturbsNothingBefore) {
  FullDisk sink;
  IoRecorder recorder{into(sink)};
  RecordingLane& lane = recorder.add_lane(1);
  recorder.start(0);
  for (std::int64_t i = 0; i < 200'000; ++i) {
    lane.issued(0, read_of(i));
    lane.completed(0, i, 0);
  }
  EXPECT_THROW(recorder.finish(), std::runtime_error);
}

}  // namespace
}  // namespace rigel
