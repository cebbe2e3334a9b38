// Files after public bug reports: what each must do is written beside it, in their README.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string file(const char* name) {
  return test_data(std::string{"user-files/"} + name);
}

std::string refusal_of(const std::vector<std::string>& paths, const OpenOptions& options = {}) {
  try {
    import_files(paths, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(UserFiles, IologWhoseTimeGoesBackIsReadInItsOrderAndTheLateStampsAreTold) {
  const Imported trace = import_files({file("iolog3-time-goes-back.log")});
  ASSERT_EQ(trace.records.size(), 8U);
  EXPECT_EQ(trace.records[5].queue_ns, 1'000'004'000);
  EXPECT_EQ(trace.records[6].queue_ns, 1'000);
  EXPECT_EQ(trace.records[7].queue_ns, 5'000);
  ASSERT_EQ(trace.tables.warnings.size(), 2U);
  EXPECT_EQ(trace.tables.warnings[0], "line 10: time goes back by 1.00 s (1000003000 ns)");
  EXPECT_EQ(trace.tables.warnings[1], "line 11: time goes back by 1.00 s (999999000 ns)");
}

TEST(UserFiles, IologWithoutOpenHoldsTrimsAndSyncs) {
  const Imported trace = import_files({file("iolog3-no-open.log")});
  std::vector<IoOp> ops;
  for (const IoRecord& record : trace.records) ops.push_back(record.op);
  EXPECT_THAT(ops,
              ElementsAre(IoOp::kRead, IoOp::kWrite, IoOp::kDiscard, IoOp::kFlush, IoOp::kFlush));
  EXPECT_EQ(trace.records[2].offset_bytes, 1048576U);
  EXPECT_EQ(trace.records[2].length_bytes, 65536U);
  EXPECT_EQ(trace.records[2].queue_ns, 205'000);
}

TEST(UserFiles, EveryWaitOfAnIologCounts) {
  const Imported trace = import_files({file("iolog2-waits.log")});
  std::vector<std::int64_t> times;
  for (const IoRecord& record : trace.records) times.push_back(record.queue_ns);
  EXPECT_THAT(times, ElementsAre(0, 250'000, 1'250'000));
}

TEST(UserFiles, IologThatMayBeInNanosecondsIsReadAsMicrosecondsAndDoubted) {
  const Imported trace = import_files({file("iolog3-nanoseconds.log")});
  ASSERT_EQ(trace.records.size(), 4U);
  EXPECT_EQ(trace.records[0].queue_ns, 11'204'000);
  ASSERT_EQ(trace.tables.warnings.size(), 1U);
  EXPECT_THAT(trace.tables.warnings[0], HasSubstr("--time-unit ns"));
  EXPECT_THAT(trace.tables.warnings[0], HasSubstr("line 6"));

  const Imported settled = import_files({file("iolog3-nanoseconds.log")}, with_time_unit("ns"));
  EXPECT_EQ(settled.records[0].queue_ns, 11'204);
  EXPECT_TRUE(settled.tables.warnings.empty());
}

TEST(UserFiles, CsvWithCrLfNeedsItsTimeUnitSaid) {
  EXPECT_THAT(
      refusal_of({file("generic-crlf.csv")}),
      testing::AllOf(HasSubstr("line 1"), HasSubstr("timestamp"), HasSubstr("--time-unit")));
  const Imported trace = import_files({file("generic-crlf.csv")}, with_time_unit("s"));
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[0].queue_ns, 100'000);
  EXPECT_EQ(trace.records[2].length_bytes, 1048576U);
  // Bytes are a convention, not something the header says.
  EXPECT_THAT(trace.tables.warnings, ElementsAre(HasSubstr("'offset'"), HasSubstr("'size'")));
}

TEST(UserFiles, CsvWithQuotedNamesTakesItsUnitsFromThem) {
  const Imported trace = import_files({file("generic-quoted-header.csv")});
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.records[1].queue_ns, 350'000);
  EXPECT_EQ(trace.records[1].offset_bytes, 4096U * 512);
  EXPECT_EQ(trace.records[1].length_bytes, 16U * 512);
  EXPECT_EQ(trace.records[1].op, IoOp::kWrite);
  EXPECT_TRUE(trace.tables.warnings.empty());
}

TEST(UserFiles, SpcLinesWithAbsurdAddressesAreRefusedByNumber) {
  const Imported trace = import_files({file("spc-odd.csv")});
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[0].offset_bytes, 20941264ULL * 512);
  EXPECT_EQ(trace.records[0].queue_ns, 551'706'000);
  EXPECT_EQ(trace.records[2].op, IoOp::kRead);
  EXPECT_EQ(trace.tables.devices.size(), 2U);
  ASSERT_EQ(trace.tables.damage.size(), 2U);
  EXPECT_THAT(
      trace.tables.damage[0].reason,
      testing::AllOf(HasSubstr("line 4"), HasSubstr("9223372036854775807"), HasSubstr("2^63")));
  EXPECT_THAT(trace.tables.damage[1].reason,
              testing::AllOf(HasSubstr("line 5"), HasSubstr("'-1' is negative")));
}

TEST(UserFiles, MsrLatencyOfZeroIsUnknown) {
  const Imported trace = import_files({file("msr.csv")});
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.tables.devices.size(), 2U);
  EXPECT_EQ(trace.records[0].queue_ns, 0);
  EXPECT_EQ(trace.records[0].complete_ns, 55'100);
  EXPECT_EQ(trace.records[2].complete_ns, kNoTime);
  // date -u -d @1172163600.3061629: 128166372003061629 - 116444736000000000 units of 100 ns.
  EXPECT_EQ(trace.tables.meta.start_wall_ns, 1'172'163'600'306'162'900);
}

TEST(UserFiles, BiosnoopOfBccWithLostEventsBlanksAndAnEmptyDisk) {
  const Imported trace = import_files({file("biosnoop-lost.txt")});
  ASSERT_EQ(trace.records.size(), 4U);
  EXPECT_EQ(missing_records(trace.tables).in_recording, 128U);
  EXPECT_TRUE(trace.tables.damage.empty());
  std::vector<std::string> comms;
  std::vector<std::string> disks;
  for (const IoRecord& record : trace.records) {
    comms.push_back(trace.tables.streams[record.stream].comm);
    disks.push_back(trace.tables.devices[record.device].name);
  }
  // By start: the read of 7.92 ms began before the write that was listed first.
  EXPECT_THAT(comms,
              ElementsAre("oracle_5523_pr", "ora_lgwr_PROD", "kworker/u8:2-f", "my app name"));
  EXPECT_THAT(disks, ElementsAre("dm-5", "dm-3", "sda", ""));
  EXPECT_EQ(trace.records[1].complete_ns, 0);
  EXPECT_EQ(trace.records[1].issue_ns, -410'000);
  EXPECT_EQ(trace.records[3].offset_bytes, 99328U * 512);
  EXPECT_EQ(trace.tables.streams[trace.records[3].stream].pid, 900U);
  EXPECT_EQ(trace.records[2].flags, io_flag::kSync);
}

TEST(UserFiles, BiosnoopOfLibbpfHasQueueTimeAndAFlush) {
  const Imported trace = import_files({file("biosnoop-libbpf.txt")});
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_TRUE(trace.columns.has(Column::kQueue));
  const auto flush = std::find_if(trace.records.begin(), trace.records.end(),
                                  [](const IoRecord& r) { return r.op == IoOp::kFlush; });
  ASSERT_NE(flush, trace.records.end());
  EXPECT_EQ(flush->complete_ns, 1'900'000);
  EXPECT_EQ(flush->issue_ns, 1'900'000 - 1'733'000);
  EXPECT_EQ(flush->queue_ns, flush->issue_ns);
  const auto read = std::find_if(trace.records.begin(), trace.records.end(),
                                 [](const IoRecord& r) { return r.op == IoOp::kRead; });
  ASSERT_NE(read, trace.records.end());
  EXPECT_EQ(read->issue_ns - read->queue_ns, 2'000);
  EXPECT_EQ(read->flags, io_flag::kReadahead);
}

TEST(UserFiles, BlktraceCutInARecordIsReadUpToTheCut) {
  const Imported trace = import_files({file("blktrace-cut-mid-record.blktrace.0")});
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[0].complete_ns, 56992);
  ASSERT_EQ(trace.tables.damage.size(), 1U);
  EXPECT_EQ(trace.tables.damage[0].offset_bytes, 992U);
  EXPECT_EQ(trace.tables.damage[0].length_bytes, 8U);
  EXPECT_THAT(trace.tables.damage[0].reason, HasSubstr("cut short"));
}

TEST(UserFiles, WhatIsNoTraceIsRefusedByName) {
  EXPECT_THAT(refusal_of({file("README.md")}), HasSubstr("not recognised"));
  EXPECT_THAT(refusal_of({file("orion-lun-odd.lun")}), HasSubstr("not recognised"));
  EXPECT_THAT(refusal_of({"/dev/null"}), HasSubstr("/dev/null: the file is empty"));
  EXPECT_THAT(refusal_of({file("msr.csv"), file("spc-odd.csv")}), HasSubstr("one kind"));
  EXPECT_THAT(refusal_of({file("msr.csv"), file("msr.csv")}), HasSubstr("rigel convert"));
  EXPECT_THAT(refusal_of({file("msr.csv")}, with_format("nosuch")),
              HasSubstr("rigel help formats"));
  EXPECT_THAT(refusal_of({file("msr.csv")}, with_format("spc")), HasSubstr("line 1"));
  EXPECT_THAT(refusal_of({file("msr.csv")}, with_format("blktrace")), HasSubstr("byte 0"));
}

}  // namespace
}  // namespace rigel
