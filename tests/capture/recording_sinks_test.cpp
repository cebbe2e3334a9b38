// The places that a recording goes to: files one after another, and the ring in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture/flight_ring.hpp"
#include "capture/recording_files.hpp"
#include "tests/scratch_folder.hpp"
#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/trace_reader.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kSecond = 1'000'000'000;

struct Content {
  std::vector<std::int64_t> queue_ns;
  std::vector<std::uint64_t> lost;
  bool is_whole = false;
};

Content read(const std::string& path) {
  Content content;
  TraceReader reader{open_file(path)};
  RecordBatch batch;
  while (reader.next(batch)) {
    content.queue_ns.insert(content.queue_ns.end(), batch.queue_ns.begin(), batch.queue_ns.end());
  }
  content.is_whole = reader.tables().damage.empty();
  for (const Loss& loss : reader.tables().losses) content.lost.push_back(loss.count);
  return content;
}

class RecordingSinksTest : public testing::Test {
 protected:
  RecordingSinksTest() {
    tables_.devices.resize(1);
    tables_.streams.resize(1);
  }
  // One I/O at `at`, then the clock shows `now`.
  void record(RecordingSink& sink, std::int64_t at, std::int64_t now,
              std::int64_t latency_ns = 1000) {
    RecordBatch batch;
    batch.reset(ColumnSet::all());
    IoRecord io;
    io.queue_ns = at;
    io.complete_ns = at + latency_ns;
    io.length_bytes = 8192;
    batch.append(io);
    sink.write(batch, tables_);
    sink.tick(now, tables_);
  }
  void lose(std::int64_t from, std::int64_t to, std::uint64_t count) {
    tables_.losses.push_back({.from_ns = from, .to_ns = to, .count = count, .cause = "ring full"});
  }
  [[nodiscard]] std::string in(const std::string& name) const { return folder_.path() / name; }

  ScratchFolder folder_;
  TraceTables tables_;
  std::vector<std::string> dumps_;
  FlightRing::Written written_ = [this](const std::string& path, std::uint64_t) {
    dumps_.push_back(path);
  };
};

TEST_F(RecordingSinksTest, FilesFollowEachOtherByTimeAndEachHoldsItsOwnLosses) {
  RecordingFiles files{{.path = in("db.rgt"), .rotate_ns = kSecond}};
  record(files, 1, kSecond / 2);
  lose(0, kSecond, 5);
  record(files, 2, kSecond);
  record(files, kSecond + 1, kSecond + 2);
  lose(kSecond, 2 * kSecond, 7);
  files.finish(tables_);
  EXPECT_THAT(read(in("db-000001.rgt")).queue_ns, ElementsAre(1, 2));
  EXPECT_THAT(read(in("db-000001.rgt")).lost, ElementsAre(5));
  EXPECT_TRUE(read(in("db-000001.rgt")).is_whole);
  EXPECT_THAT(read(in("db-000002.rgt")).queue_ns, ElementsAre(kSecond + 1));
  EXPECT_THAT(read(in("db-000002.rgt")).lost, ElementsAre(7));
}

TEST_F(RecordingSinksTest, FilesFollowEachOtherBySize) {
  RecordingFiles files{{.path = in("db.rgt"), .rotate_bytes = 1, .keep = 2}};
  record(files, 1, 1);                // nothing is in the file yet
  record(files, 2, 2 * kSecond);      // made safe: now it is
  record(files, 3, 2 * kSecond + 1);  // and too large
  record(files, 4, 5 * kSecond);
  record(files, 5, 5 * kSecond + 1);
  files.finish(tables_);
  EXPECT_THROW(read(in("db-000001.rgt")), Error) << "only two were to be kept";
  EXPECT_THAT(read(in("db-000002.rgt")).queue_ns, ElementsAre(4, 5));
  EXPECT_THAT(read(in("db-000003.rgt")).queue_ns, ElementsAre());
}

TEST_F(RecordingSinksTest, WhatIsOlderThanTwoSecondsIsInTheFile) {
  RecordingFiles files{{.path = in("db.rgt")}};
  record(files, 1, kSecond);
  record(files, 2, 2 * kSecond);
  record(files, 3, 3 * kSecond);
  EXPECT_THAT(read(in("db.rgt")).queue_ns, ElementsAre(1, 2)) << "as a crash would leave it";
  EXPECT_GT(files.bytes(), 0U);
}

TEST_F(RecordingSinksTest, TheRingIsWrittenOnRequestAndHoldsTheLastWhile) {
  FlightRing ring{{.span_ns = 16 * kSecond, .path = in("ring.rgt")}, written_};
  for (std::int64_t second = 0; second < 40; ++second) {
    record(ring, second * kSecond, (second + 1) * kSecond);
  }
  EXPECT_TRUE(dumps_.empty());
  lose(0, kSecond, 3);
  lose(30 * kSecond, 31 * kSecond, 4);
  ring.request();
  ring.tick(40 * kSecond + 1, tables_);
  ASSERT_THAT(dumps_, ElementsAre(in("ring-000001.rgt")));
  const Content content = read(dumps_.front());
  EXPECT_LE(content.queue_ns.front(), 25 * kSecond) << "16 s were promised";
  EXPECT_GE(content.queue_ns.front(), 22 * kSecond) << "much more is a waste of memory";
  EXPECT_EQ(content.queue_ns.back(), 39 * kSecond);
  EXPECT_EQ(content.queue_ns.size(),
            static_cast<std::size_t>(40 - content.queue_ns.front() / kSecond));
  EXPECT_THAT(content.lost, ElementsAre(4));
  EXPECT_TRUE(content.is_whole);
  ring.tick(41 * kSecond, tables_);
  ring.finish(tables_);
  EXPECT_EQ(dumps_.size(), 1U) << "nobody asked again";
}

TEST_F(RecordingSinksTest, ASlowIoHasTheRingWrittenOnceForTheSameTrouble) {
  FlightRing ring{{.span_ns = 10 * kSecond, .trigger_ns = kSecond / 2, .path = in("ring.rgt")},
                  written_};
  record(ring, 0, kSecond, kSecond / 2 - 1);
  EXPECT_TRUE(dumps_.empty());
  record(ring, kSecond, 2 * kSecond, kSecond / 2);
  EXPECT_EQ(dumps_.size(), 1U);
  for (std::int64_t second = 2; second < 12; ++second) {
    record(ring, second * kSecond, (second + 1) * kSecond, kSecond / 2);
  }
  EXPECT_EQ(dumps_.size(), 1U);
  record(ring, 12 * kSecond, 13 * kSecond, kSecond / 2);
  EXPECT_EQ(dumps_.size(), 2U);
}

}  // namespace
}  // namespace rigel
