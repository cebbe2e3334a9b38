#include "capture/event_assembler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace rigel {
namespace {

constexpr std::uint32_t kDisk = kernel_device(8, 0);
constexpr std::uint32_t kPartition = kernel_device(8, 1);
constexpr std::uint64_t kStart = 1'000'000'000;
// Numbers of no kernel in particular: what counts is that the flavour's are used.
constexpr std::uint32_t kReqSync = 1U << 11;
constexpr std::uint32_t kReqPreflush = 1U << 18;

class FakeHost final : public HostNames {
 public:
  BlockDevice device(std::uint32_t number) override {
    ++questions;
    BlockDevice device;
    device.number = number;
    device.info.name = number == kPartition ? "sda1" : "sda";
    device.info.start_bytes = number == kPartition ? 1 << 20 : 0;
    device.is_request_based = number == kDisk || number == kPartition;
    return device;
  }
  StreamInfo stream(std::uint32_t tgid, std::uint32_t tid, const std::string& comm,
                    std::uint64_t) override {
    ++questions;
    StreamInfo stream;
    stream.comm = comm;
    stream.pid = tgid;
    stream.tid = tid;
    return stream;
  }
  int questions = 0;
};

KernelFlavour flavour() {
  KernelFlavour result;
  result.io_flags[11] = io_flag::kSync;
  result.io_flags[18] = io_flag::kPreflush;
  result.zone_append_op = 7;
  return result;
}

block_event event_at(std::uint64_t queue_ns) {
  block_event event{};
  event.queue_ns = kStart + queue_ns;
  event.issue_ns = kStart + queue_ns + 10;
  event.complete_ns = kStart + queue_ns + 100;
  event.sector = 4096;
  event.length_bytes = 8192;
  event.device = kDisk;
  event.tgid = 7;
  event.tid = 8;
  event.cpu = 3;
  event.seen = RIGEL_SEEN_QUEUE;
  std::strcpy(event.comm, "ora_lgwr_ORCL");
  return event;
}

class EventAssemblerTest : public testing::Test {
 protected:
  IoRecord one(const block_event& event) {
    const std::array events{event};
    assembler_.add(events);
    assembler_.release_all(batch_);
    return batch_.record(0);
  }
  std::vector<std::int64_t> queue_times() const { return batch_.queue_ns; }

  FakeHost host_;
  TraceTables tables_;
  EventAssembler assembler_{
      {.start_ns = kStart, .flavour = flavour(), .most_waiting = 8}, host_, tables_};
  RecordBatch batch_;
};

TEST_F(EventAssemblerTest, TimesCountFromTheStartOfTheRecording) {
  const IoRecord record = one(event_at(500));
  EXPECT_EQ(record.queue_ns, 500);
  EXPECT_EQ(record.issue_ns, 510);
  EXPECT_EQ(record.complete_ns, 600);
}

TEST_F(EventAssemblerTest, ATimeThatWasNotSeenIsAbsentNotZero) {
  block_event event = event_at(500);
  event.issue_ns = 0;
  EXPECT_EQ(one(event).issue_ns, kNoTime);
}

TEST_F(EventAssemblerTest, OffsetsOfAPartitionAreCountedInThePartition) {
  block_event event = event_at(0);
  event.device = kPartition;
  EXPECT_EQ(one(event).offset_bytes, 4096U * 512 - (1U << 20));
  EXPECT_EQ(tables_.devices.at(0).name, "sda1");
}

TEST_F(EventAssemblerTest, AddressesBeyondTwoTerabytesAreWhole) {
  block_event event = event_at(0);
  event.sector = std::uint64_t{9} << 32;
  EXPECT_EQ(one(event).offset_bytes, (std::uint64_t{9} << 32) * 512);
}

TEST_F(EventAssemblerTest, OperationsAreNamedByTheKernelsNumbers) {
  // include/linux/blk_types.h
  const std::array<std::pair<std::uint32_t, IoOp>, 9> operations{{{0, IoOp::kRead},
                                                                  {1, IoOp::kWrite},
                                                                  {2, IoOp::kFlush},
                                                                  {3, IoOp::kDiscard},
                                                                  {5, IoOp::kDiscard},
                                                                  {7, IoOp::kWrite},
                                                                  {9, IoOp::kWriteZeroes},
                                                                  {11, IoOp::kOther},
                                                                  {34, IoOp::kOther}}};
  for (const auto& [number, op] : operations) {
    block_event event = event_at(0);
    event.op_flags = number | kReqSync;
    const IoRecord record = one(event);
    EXPECT_EQ(record.op, op) << number;
    EXPECT_NE(record.flags & io_flag::kSync, 0U) << number;
    EXPECT_EQ((record.flags & io_flag::kPassthrough) != 0, number == 34) << number;
  }
}

TEST_F(EventAssemblerTest, AnEmptyWriteIsAFlushAndHasNoPlace) {
  block_event event = event_at(0);
  event.op_flags = 1 | kReqPreflush;
  event.length_bytes = 0;
  event.sector = ~std::uint64_t{0};
  const IoRecord record = one(event);
  EXPECT_EQ(record.op, IoOp::kFlush);
  EXPECT_EQ(record.offset_bytes, 0U);
  EXPECT_EQ(record.flags, io_flag::kPreflush);
}

TEST_F(EventAssemblerTest, HowItWasSeenIsMarked) {
  block_event event = event_at(0);
  event.seen = RIGEL_SEEN_QUEUE | RIGEL_SEEN_MERGED | RIGEL_SEEN_SPLIT | RIGEL_SEEN_REQUEUED |
               RIGEL_SEEN_WRITEBACK;
  EXPECT_EQ(one(event).flags,
            io_flag::kMerged | io_flag::kSplit | io_flag::kRequeued | io_flag::kWriteback);
  event = event_at(0);
  event.complete_ns = 0;
  EXPECT_EQ(one(event).flags, io_flag::kInFlightAtStop);
  event.status = RIGEL_STATUS_UNSEEN;
  EXPECT_EQ(one(event).flags, io_flag::kEndUnseen);
  EXPECT_EQ(one(event).complete_ns, kNoTime);
  EXPECT_EQ(one(event).status, 0);
  event = event_at(0);
  event.seen = RIGEL_SEEN_AT_START;
  EXPECT_EQ(one(event).flags, io_flag::kInFlightAtStart);
  EXPECT_EQ(one(event).cpu, kNoCpu);
  event = event_at(0);
  event.device = kernel_device(252, 0);
  EXPECT_EQ(one(event).flags, io_flag::kBioLayer);
}

TEST_F(EventAssemblerTest, StatusBecomesAnErrno) {
  // blk_errors[] of block/blk-core.c
  EXPECT_EQ(errno_of_blk_status(0), 0);
  EXPECT_EQ(errno_of_blk_status(1), EOPNOTSUPP);
  EXPECT_EQ(errno_of_blk_status(3), ENOSPC);
  EXPECT_EQ(errno_of_blk_status(7), ENODATA);
  EXPECT_EQ(errno_of_blk_status(10), EIO);
  EXPECT_EQ(errno_of_blk_status(200), EIO);
  block_event event = event_at(0);
  event.status = 2;
  EXPECT_EQ(one(event).status, ETIMEDOUT);
}

TEST_F(EventAssemblerTest, ANameIsAskedForOnce) {
  std::vector<block_event> events(5, event_at(0));
  // What follows the terminator in the kernel's buffer says nothing.
  std::strcpy(events[3].comm + 14, "x");
  assembler_.add(events);
  EXPECT_EQ(host_.questions, 2);
  events[0].tid = 9;
  std::strcpy(events[1].comm, "ora_ckpt_ORCL");
  assembler_.add(events);
  EXPECT_EQ(tables_.streams.size(), 3U);
  EXPECT_EQ(tables_.streams[0].comm, "ora_lgwr_ORCL");
}

TEST_F(EventAssemblerTest, RecordsWaitForWhatBeganEarlier) {
  const std::array events{event_at(30), event_at(10), event_at(20)};
  assembler_.add(events);
  assembler_.release(kStart + 25, batch_);
  EXPECT_THAT(queue_times(), testing::ElementsAre(10, 20));
  EXPECT_EQ(assembler_.waiting(), 1U);
  const std::array late{event_at(27)};
  assembler_.add(late);
  assembler_.release_all(batch_);
  EXPECT_THAT(queue_times(), testing::ElementsAre(27, 30));
  EXPECT_EQ(assembler_.out_of_order(), 0U);
}

TEST_F(EventAssemblerTest, AnIoThatHangsDoesNotHoldUpTheRestForEver) {
  std::vector<block_event> events;
  for (std::uint64_t i = 8; i > 0; --i) events.push_back(event_at(i * 10));
  assembler_.add(events);
  ASSERT_TRUE(assembler_.is_full());
  assembler_.release(kStart, batch_);
  EXPECT_THAT(queue_times(), testing::ElementsAre(10, 20, 30, 40));
  const std::array late{event_at(5)};
  assembler_.add(late);
  assembler_.release_all(batch_);
  EXPECT_EQ(assembler_.out_of_order(), 1U);
}

}  // namespace
}  // namespace rigel
