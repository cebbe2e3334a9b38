// Formats of which there is no public sample among the real traces, by their published layouts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"

namespace rigel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ColumnSet kPlain{Column::kQueue, Column::kDevice, Column::kOffset, Column::kLength,
                       Column::kOp};

TEST(Formats, Alibaba) {
  const Imported trace = import_text(
      "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.tables.meta.source, "Alibaba block trace");
  EXPECT_EQ(trace.columns, kPlain);
  EXPECT_EQ(trace.tables.meta.start_wall_ns, 1'577'808'144'360'767'000);
  EXPECT_EQ(trace.records[1].queue_ns, 46'000);
  EXPECT_EQ(trace.records[1].offset_bytes, 59110326272U);
  EXPECT_EQ(trace.records[1].length_bytes, 360448U);
  EXPECT_EQ(trace.records[0].op, IoOp::kWrite);
  EXPECT_EQ(trace.tables.devices[1].name, "725");
}

TEST(Formats, Tencent) {
  const Imported trace = import_text("1538323200,12910952,128,0,1063\n1538323201,8,8,1,1285\n");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.tables.meta.source, "Tencent block trace");
  EXPECT_EQ(trace.columns, kPlain);
  EXPECT_EQ(trace.tables.meta.start_wall_ns, 1'538'323'200'000'000'000);
  EXPECT_EQ(trace.records[0].offset_bytes, 12910952ULL * 512);
  EXPECT_EQ(trace.records[0].length_bytes, 65536U);
  EXPECT_EQ(trace.records[0].op, IoOp::kRead);
  EXPECT_EQ(trace.records[1].op, IoOp::kWrite);
  EXPECT_EQ(trace.records[1].queue_ns, 1'000'000'000);
}

TEST(Formats, FioIologVersion1HasNeitherTimesNorDevices) {
  const Imported trace = import_text("0,  4096, 8192\n1, 0, 512\n2, 0, 512\n");
  EXPECT_EQ(trace.tables.meta.source, "fio iolog v1");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.columns, (ColumnSet{Column::kOffset, Column::kLength, Column::kOp}));
  EXPECT_EQ(trace.records[0].op, IoOp::kRead);
  EXPECT_EQ(trace.records[0].length_bytes, 8192U);
  EXPECT_EQ(trace.records[1].op, IoOp::kWrite);
  EXPECT_THAT(trace.tables.damage[0].reason, HasSubstr("line 3: rw: 2"));
}

TEST(Formats, BlkreplayLoadWithAPreambleInProse) {
  const Imported trace = import_text(
      "This file was automatically generated.\n\nPLEASE DO NOT EDIT\n"
      "INFO: anything\n"
      "   0.000000000 ;    2048 ;   8 ; R\n   1.500000001 ;    4096 ;  16 ; W\n");
  EXPECT_EQ(trace.tables.meta.source, "blkreplay");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.columns,
            (ColumnSet{Column::kQueue, Column::kOffset, Column::kLength, Column::kOp}));
  EXPECT_EQ(trace.records[1].queue_ns, 1'500'000'001);
  EXPECT_EQ(trace.records[1].offset_bytes, 4096U * 512);
  EXPECT_EQ(trace.records[1].length_bytes, 8192U);
  EXPECT_EQ(trace.records[1].op, IoOp::kWrite);
}

TEST(Formats, BlkreplayResultHasIssueAndCompletion) {
  const Imported trace = import_text(
      "orig_start ; sector; length ; op ;  replay_delay; replay_duration\n"
      "   1.000000000 ;       2048 ;   8 ; R ;   0.000010000 ;   0.000200000\n");
  ASSERT_EQ(trace.records.size(), 1U);
  EXPECT_EQ(trace.records[0].queue_ns, 1'000'000'000);
  EXPECT_EQ(trace.records[0].issue_ns, 1'000'010'000);
  EXPECT_EQ(trace.records[0].complete_ns, 1'000'210'000);
}

TEST(Formats, VscsiVersion2HasResponseTimes) {
  std::string record(40, '\0');
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      record[at + i] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    }
  };
  put(0, 0x8a, 2);  // WRITE(16)
  put(2, 0x0200, 2);
  put(8, 16384, 4);
  put(16, 2048, 8);
  put(24, 5'000'000, 8);
  put(32, 250, 8);
  const Imported trace = import_text(record + record + record.substr(0, 11));
  EXPECT_EQ(trace.tables.meta.source, "VSCSI version 2");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.records[0].queue_ns, 0);
  EXPECT_EQ(trace.records[0].complete_ns, 250'000);
  EXPECT_EQ(trace.records[0].offset_bytes, 1048576U);
  EXPECT_EQ(trace.records[0].length_bytes, 16384U);
  EXPECT_EQ(trace.records[0].op, IoOp::kWrite);
  ASSERT_EQ(trace.tables.damage.size(), 1U);
  EXPECT_EQ(trace.tables.damage[0].offset_bytes, 80U);
  EXPECT_THAT(trace.tables.damage[0].reason, HasSubstr("cut short: 11 of a record's 40 bytes"));
}

TEST(Formats, BlkparseText) {
  const Imported trace = import_text(
      "  8,16   1        1     0.000000000   697  A   W 223490 + 8 <- (8,17) 223427\n"
      "  8,16   1        2     0.000000829   697  Q   W 223490 + 8 [kjournald]\n"
      "  8,16   1        3     0.000005829   697  G   W 223490 + 8 [kjournald]\n"
      "  8,16   1        4     0.000009000   697  P   N [kjournald]\n"
      "  8,16   1        5     0.000010000   697  U   N [kjournald] 1\n"
      "  8,16   1        6     0.000020000   697  D   W 223490 + 8 [kjournald]\n"
      "  8,16   0        7     0.000120000     0  C   W 223490 + 8 [65531]\n"
      "  8,16   0        8     0.000130000    55  Q FWS [my proc]\n"
      "  8,16   0        9     0.000140000    55  D FWS [my proc]\n"
      "  8,16   0       10     0.000150000     0  C FWS 0 [0]\n"
      "CPU0 (8,16):\n Reads Queued:           0,        0KiB\t Writes Queued:           1\n"
      "Throughput (R/W): 0KiB/s / 537KiB/s\nEvents (8,16): 10 entries\n");
  EXPECT_EQ(trace.tables.meta.source, "blkparse");
  EXPECT_TRUE(trace.tables.damage.empty());
  ASSERT_EQ(trace.records.size(), 2U);
  const IoRecord& write = trace.records[0];
  EXPECT_EQ(write.issue_ns - write.queue_ns, 19'171);
  EXPECT_EQ(write.complete_ns - write.issue_ns, 100'000);
  EXPECT_EQ(write.offset_bytes, 223490U * 512);
  EXPECT_EQ(write.length_bytes, 4096U);
  EXPECT_EQ(write.status, 5);
  EXPECT_EQ(write.cpu, 1);
  EXPECT_EQ(trace.tables.streams[write.stream].comm, "kjournald");
  EXPECT_EQ(trace.tables.streams[write.stream].pid, 697U);
  EXPECT_EQ(trace.tables.devices[0].major, 8U);
  EXPECT_EQ(trace.tables.devices[0].minor, 16U);
  EXPECT_EQ(trace.records[1].op, IoOp::kFlush);
  EXPECT_EQ(trace.tables.streams[trace.records[1].stream].comm, "my proc");
}

TEST(Formats, BiosnoopOfBpftraceHasOnlyTimesDisksAndProcesses) {
  const Imported trace = import_text(
      "Attaching 4 probes...\n"
      "TIME(ms)     DISK    COMM             PID    LAT(ms)\n"
      "611          nvme0n1 bash             4179        10\n"
      "614          nvme0n1 a b              17           3\n");
  ASSERT_EQ(trace.records.size(), 2U);
  EXPECT_EQ(trace.columns,
            (ColumnSet{Column::kIssue, Column::kComplete, Column::kDevice, Column::kStream}));
  EXPECT_EQ(trace.records[0].complete_ns, 611'000'000);
  EXPECT_EQ(trace.records[0].issue_ns, 601'000'000);
  EXPECT_EQ(trace.tables.streams[1].comm, "a b");
  EXPECT_EQ(trace.tables.devices[0].name, "nvme0n1");
}

TEST(Formats, BiosnoopWithTimesOfDayIsRefused) {
  EXPECT_THROW(import_text("TIMESTAMP  COMM PID DISK T SECTOR BYTES LAT(ms)\n"
                           "10:00:00.000001 fio 1 sda R 0 512 1.0\n",
                           with_format("biosnoop")),
               Error);
}

// A run of fio recorded twice at once: by fio itself (write_iolog) and by ftrace. Besides fio's
// 150 I/Os the device saw what opening it, dd and blkdiscard did.
TEST(Formats, FtraceShowsTheIosThatFioSaysItIssued) {
  const Imported fio = import_files({test_file("importers/fio-iolog3.log.gz")});
  const Imported ftrace = import_files({test_file("importers/ftrace-fio.txt.gz")});
  EXPECT_EQ(ftrace.tables.meta.source, "block trace points");
  EXPECT_TRUE(ftrace.tables.damage.empty());
  EXPECT_TRUE(ftrace.tables.warnings.empty());
  using Io = std::tuple<std::uint64_t, std::uint32_t, IoOp>;
  std::vector<Io> said;
  std::vector<Io> seen;
  for (const IoRecord& r : fio.records) {
    if (r.op != IoOp::kFlush) said.emplace_back(r.offset_bytes, r.length_bytes, r.op);
  }
  for (const IoRecord& r : ftrace.records) {
    if (ftrace.tables.streams[r.stream].comm != "fio" || (r.flags & io_flag::kReadahead) != 0) {
      continue;
    }
    seen.emplace_back(r.offset_bytes, r.length_bytes, r.op);
    EXPECT_LE(r.queue_ns, r.issue_ns);
    EXPECT_LT(r.issue_ns, r.complete_ns);
  }
  EXPECT_EQ(said.size(), 150U);
  std::sort(said.begin(), said.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(std::includes(seen.begin(), seen.end(), said.begin(), said.end()));
  // Which also settles that fio's stamps are microseconds: both clocks saw the same 10 ms.
  const auto spans = [](const Imported& trace, std::size_t last) {
    return static_cast<double>(trace.records[last].queue_ns - trace.records[0].queue_ns);
  };
  EXPECT_NEAR(spans(fio, 149) / spans(ftrace, 149), 1, 0.05);
}

// perf recorded the same device's issues and completions during the same run.
TEST(Formats, PerfScriptAndFtraceSeeTheSameRequests) {
  const Imported perf = import_files({test_file("importers/perf-script-fio.txt.gz")});
  const Imported ftrace = import_files({test_file("importers/ftrace-fio.txt.gz")});
  EXPECT_TRUE(perf.tables.damage.empty());
  EXPECT_FALSE(perf.columns.has(Column::kQueue));
  ASSERT_EQ(perf.records.size(), ftrace.records.size());
  for (std::size_t i = 0; i < perf.records.size(); ++i) {
    EXPECT_EQ(perf.records[i].offset_bytes, ftrace.records[i].offset_bytes);
    EXPECT_EQ(perf.records[i].length_bytes, ftrace.records[i].length_bytes);
    EXPECT_EQ(perf.records[i].op, ftrace.records[i].op);
    // What the bio asked for along with its flush, perf was not told to record.
    if (perf.records[i].op == IoOp::kFlush) continue;
    EXPECT_EQ(perf.records[i].flags, ftrace.records[i].flags);
  }
}

TEST(Formats, TracepointsOfTraceCmdAndOldKernels) {
  const Imported trace = import_text(
      "cpus=2\n"
      " my-app-12-1234  [001]   100.000100: block_rq_issue:       8,0 R 4096 () 2048 + 8 [my-app]\n"
      "CPU:1 [LOST 17 EVENTS]\n"
      "          <idle>-0     [000]   100.000600: block_rq_complete:    8,0 R () 2048 + 8 [-5]\n"
      " my-app-12-1234  [001]   100.000900: sched_switch:         prev_comm=x\n");
  ASSERT_EQ(trace.records.size(), 1U);
  EXPECT_EQ(trace.records[0].issue_ns, 0);
  EXPECT_EQ(trace.records[0].complete_ns, 500'000);
  EXPECT_EQ(trace.records[0].status, 5);
  EXPECT_EQ(trace.records[0].cpu, 1);
  EXPECT_EQ(trace.tables.streams[0].comm, "my-app-12");
  EXPECT_EQ(trace.tables.streams[0].pid, 1234U);
  EXPECT_EQ(missing_records(trace.tables).in_recording, 17U);
}

TEST(Formats, OracleGeneralIsRecognisedByItsForwardReferences) {
  std::string bytes;
  const auto record = [&](std::uint32_t time, std::uint64_t object, std::uint32_t size,
                          std::int64_t next) {
    bytes.append(reinterpret_cast<const char*>(&time), 4);
    bytes.append(reinterpret_cast<const char*>(&object), 8);
    bytes.append(reinterpret_cast<const char*>(&size), 4);
    bytes.append(reinterpret_cast<const char*>(&next), 8);
  };
  record(10, 7, 4096, 2);
  record(10, 9, 512, -1);
  record(13, 7, 4096, -1);
  const Imported trace = import_text(bytes);
  EXPECT_EQ(trace.tables.meta.source, "oracleGeneral");
  ASSERT_EQ(trace.records.size(), 3U);
  EXPECT_EQ(trace.records[2].queue_ns, 3'000'000'000);
  EXPECT_EQ(trace.records[2].offset_bytes, 7U * 4096);
  EXPECT_EQ(trace.records[1].length_bytes, 512U);
  // A reference to a request for another object gives it away.
  record(14, 8, 512, 5);
  record(15, 8, 512, -1);
  record(15, 1, 512, -1);
  EXPECT_THROW(import_text(bytes), Error);
}

TEST(Formats, EveryImporterHasANameOfItsOwn) {
  std::vector<std::string_view> names;
  for (const Importer& importer : importers()) {
    EXPECT_FALSE(importer.description.empty());
    names.push_back(importer.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace rigel
