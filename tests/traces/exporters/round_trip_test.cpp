// What goes out in each format comes back, but for what rigel-formats(7) says that it loses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <unordered_map>

#include "tests/scratch_folder.hpp"
#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"
#include "traces/exporter.hpp"
#include "traces/missing_records.hpp"

namespace rigel {
namespace {

class Exported : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  // The trace through the format that `name` ends in and back.
  [[nodiscard]] Imported through(const std::string& name, const Imported& trace,
                                 const OpenOptions& options = {}) const {
    write(name, trace);
    return import_files({path(name)}, options);
  }
  void write(const std::string& name, const Imported& trace) const {
    auto sink = create_trace(path(name));
    RecordBatch batch;
    constexpr std::size_t kBatch = 7;
    for (std::size_t at = 0; at < trace.records.size(); at += kBatch) {
      batch.reset(trace.columns);
      for (std::size_t i = at; i < std::min(at + kBatch, trace.records.size()); ++i) {
        batch.append(trace.records[i]);
      }
      sink->write(batch, trace.tables);
    }
    sink->finish(trace.tables);
  }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream in{path(name)};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  ScratchFolder folder_;
};

// Every column, every kind of value that a cell can have, tables with text that wants quoting.
Imported everything() {
  Imported trace;
  trace.columns = ColumnSet::all();
  trace.tables.meta.source = "rigel capture, \"quoted\"";
  trace.tables.meta.host = "h\u00f6st";
  trace.tables.meta.start_wall_ns = 1'700'000'000'123'456'789;
  trace.tables.meta.extra["filter"] = "a, b\nc";
  for (int i = 0; i < 3; ++i) {
    DeviceInfo& device = trace.tables.devices.emplace_back();
    device.name = "sd" + std::string(1, static_cast<char>('a' + i));
    device.major = 8;
    device.minor = static_cast<std::uint32_t>(16 * i);
    device.size_bytes = 1ULL << 40;
    device.wwid = "wwn-0x5,\"";
    StreamInfo& stream = trace.tables.streams.emplace_back();
    stream.comm = "proc " + std::to_string(i);
    stream.pid = stream.tid = static_cast<std::uint32_t>(100 + i);
    stream.role = "lgwr";
  }
  trace.tables.losses.push_back({5, 6, 7, "ring full"});
  trace.tables.warnings.emplace_back("a doubt");
  for (std::uint32_t i = 0; i < 100; ++i) {
    IoRecord r;
    const std::int64_t start = (static_cast<std::int64_t>(i) - 2) * 1'000'000;
    r.queue_ns = i % 5 == 1 ? kNoTime : start;
    r.issue_ns = i % 5 == 2 ? kNoTime : start + 1'234;
    r.complete_ns = i % 5 == 3 ? kNoTime : start + 99'999'001;
    r.offset_bytes = (std::uint64_t{i} << 40) + 512;
    r.length_bytes = 512 * (i + 1);
    r.device = i % 3;
    r.stream = (i / 2) % 3;
    r.op = static_cast<IoOp>(i % kIoOpCount);
    r.flags = i % 4 == 0 ? 0 : (1U << (i % 23));
    r.cpu = i % 7 == 0 ? kNoCpu : static_cast<std::uint16_t>(i);
    r.status = i % 9 == 0 ? 5 : 0;
    trace.records.push_back(r);
  }
  return trace;
}

void expect_same_tables(const TraceTables& a, const TraceTables& b) {
  EXPECT_EQ(a.meta.source, b.meta.source);
  EXPECT_EQ(a.meta.host, b.meta.host);
  EXPECT_EQ(a.meta.start_wall_ns, b.meta.start_wall_ns);
  EXPECT_EQ(a.meta.extra, b.meta.extra);
  ASSERT_EQ(a.devices.size(), b.devices.size());
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    EXPECT_EQ(a.devices[i].name, b.devices[i].name);
    EXPECT_EQ(a.devices[i].minor, b.devices[i].minor);
    EXPECT_EQ(a.devices[i].size_bytes, b.devices[i].size_bytes);
    EXPECT_EQ(a.devices[i].wwid, b.devices[i].wwid);
  }
  ASSERT_EQ(a.streams.size(), b.streams.size());
  for (std::size_t i = 0; i < a.streams.size(); ++i) {
    EXPECT_EQ(a.streams[i].comm, b.streams[i].comm);
    EXPECT_EQ(a.streams[i].pid, b.streams[i].pid);
    EXPECT_EQ(a.streams[i].role, b.streams[i].role);
  }
  EXPECT_EQ(missing_records(a).total(), missing_records(b).total());
  EXPECT_EQ(a.warnings, b.warnings);
}

TEST_F(Exported, RgtCsvAndJsonLinesHoldEverything) {
  const Imported trace = everything();
  for (const char* name : {"t.rgt", "t.csv", "t.jsonl"}) {
    SCOPED_TRACE(name);
    const Imported back = through(name, trace);
    EXPECT_EQ(back.columns, trace.columns);
    ASSERT_EQ(back.records.size(), trace.records.size());
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
      EXPECT_TRUE(back.records[i] == trace.records[i]) << i;
    }
    expect_same_tables(back.tables, trace.tables);
    EXPECT_TRUE(back.tables.damage.empty());
  }
}

TEST_F(Exported, AbsentColumnsStayAbsent) {
  Imported trace = everything();
  trace.columns = {Column::kOffset, Column::kLength, Column::kOp};
  for (const char* name : {"t.rgt", "t.csv", "t.jsonl"}) {
    EXPECT_EQ(through(name, trace).columns, trace.columns) << name;
  }
}

TEST_F(Exported, CsvTakesColumnsThatChangeOnTheWay) {
  {
    auto sink = create_trace(path("t.csv"));
    RecordBatch batch;
    IoRecord record;
    record.offset_bytes = 4096;
    record.cpu = 3;
    batch.reset({Column::kOffset});
    batch.append(record);
    sink->write(batch, {});
    batch.reset({Column::kOffset, Column::kCpu});
    batch.append(record);
    sink->write(batch, {});
    sink->finish({});
  }
  const Imported back = import_files({path("t.csv")});
  ASSERT_EQ(back.records.size(), 2U);
  EXPECT_EQ(back.records[1].cpu, 3);
  EXPECT_EQ(back.records[1].offset_bytes, 4096U);
}

TEST_F(Exported, TablesThatGrowStandBeforeTheirFirstUse) {
  const Imported trace = everything();
  for (const char* name : {"t.csv", "t.jsonl"}) {
    SCOPED_TRACE(name);
    auto sink = create_trace(path(name));
    TraceTables tables;
    RecordBatch batch;
    for (std::uint32_t i = 0; i < 3; ++i) {
      tables.devices.push_back(trace.tables.devices[i]);
      tables.streams.push_back(trace.tables.streams[i]);
      IoRecord record;
      record.device = record.stream = i;
      batch.reset({Column::kOffset, Column::kDevice, Column::kStream});
      batch.append(record);
      sink->write(batch, tables);
    }
    sink->finish(tables);
    const Imported back = import_files({path(name)});
    ASSERT_EQ(back.records.size(), 3U);
    EXPECT_EQ(back.records[2].device, 2U);
    EXPECT_TRUE(back.tables.damage.empty());
  }
}

TEST_F(Exported, FioIologKeepsMicrosecondsPlacesAndOperations) {
  const Imported trace = everything();
  const Imported back = through("t.fio", trace);
  std::size_t at = 0;
  for (const IoRecord& r : trace.records) {
    if (r.op == IoOp::kOther) continue;
    ASSERT_LT(at, back.records.size());
    const IoRecord& b = back.records[at++];
    EXPECT_EQ(b.queue_ns, std::max<std::int64_t>(r.start_ns(), 0) / 1000 * 1000);
    EXPECT_EQ(b.offset_bytes, r.offset_bytes);
    EXPECT_EQ(b.length_bytes, r.length_bytes);
    EXPECT_EQ(b.op, r.op == IoOp::kWriteZeroes ? IoOp::kWrite : r.op);
    EXPECT_EQ(back.tables.devices[b.device].name, "/dev/" + trace.tables.devices[r.device].name);
  }
  EXPECT_EQ(at, back.records.size());
  EXPECT_THAT(text_of("t.fio"), testing::StartsWith("fio version 3 iolog\n0 /dev/sda add\n"));
}

TEST_F(Exported, BlkparseTextKeepsTheThreeTimesOfEachIo) {
  Imported trace = everything();
  // What the format can tell apart: completions of requests that were issued.
  for (IoRecord& r : trace.records) {
    if (r.issue_ns == kNoTime || r.complete_ns == kNoTime) r.issue_ns = r.complete_ns = r.queue_ns;
    r.flags &= io_flag::kSync | io_flag::kMeta | io_flag::kReadahead;
    if (r.op == IoOp::kFlush) r.length_bytes = 0;
    if (r.op == IoOp::kWriteZeroes) r.op = IoOp::kWrite;
  }
  const Imported back = through("t.blkparse", trace);
  ASSERT_EQ(back.records.size(), trace.records.size());
  EXPECT_TRUE(back.tables.damage.empty());
  std::unordered_map<std::uint64_t, const IoRecord*> by_offset;
  for (const IoRecord& r : back.records) by_offset[r.offset_bytes] = &r;
  const std::int64_t first_ns = trace.records[0].queue_ns;  // which becomes 0
  for (const IoRecord& r : trace.records) {
    const IoRecord& b = *by_offset.at(r.offset_bytes);
    if (r.queue_ns != kNoTime) {
      EXPECT_EQ(b.queue_ns, r.queue_ns - first_ns);
    }
    EXPECT_EQ(b.issue_ns, r.issue_ns - first_ns);
    EXPECT_EQ(b.complete_ns, r.complete_ns - first_ns);
    EXPECT_EQ(b.length_bytes, r.length_bytes);
    EXPECT_EQ(b.op, r.op);
    EXPECT_EQ(b.status, r.status);
    EXPECT_EQ(b.flags & ~io_flag::kPassthrough, r.flags);
    EXPECT_EQ(back.tables.devices[b.device].minor, trace.tables.devices[r.device].minor);
    EXPECT_EQ(back.tables.streams[b.stream].comm, r.queue_ns == kNoTime
                                                      ? back.tables.streams[b.stream].comm
                                                      : trace.tables.streams[r.stream].comm);
  }
}

TEST_F(Exported, OracleGeneralKnowsTheNextRequestForEachObject) {
  Imported trace = import_files({test_data("traces/cloudPhysicsIO.vscsi")});
  trace.records.resize(70'000);  // more than are gone through at once
  write("t.oracleGeneral.bin", trace);
  const std::string bytes = text_of("t.oracleGeneral.bin");
  ASSERT_EQ(bytes.size(), trace.records.size() * 24);
  const auto object_of = [](const IoRecord& r) { return r.offset_bytes / 4096; };
  std::unordered_map<std::uint64_t, std::int64_t> next;
  for (std::size_t i = trace.records.size(); i-- != 0;) {
    std::uint64_t object = 0;
    std::int64_t promised = 0;
    std::memcpy(&object, bytes.data() + i * 24 + 4, 8);
    std::memcpy(&promised, bytes.data() + i * 24 + 16, 8);
    ASSERT_EQ(object, object_of(trace.records[i]));
    const auto known = next.find(object);
    ASSERT_EQ(promised, known == next.end() ? -1 : known->second) << i;
    next[object] = static_cast<std::int64_t>(i);
  }
  const Imported back = import_files({path("t.oracleGeneral.bin")});
  EXPECT_EQ(back.tables.meta.source, "oracleGeneral");
  ASSERT_EQ(back.records.size(), trace.records.size());
  for (std::size_t i = 0; i < back.records.size(); ++i) {
    ASSERT_EQ(back.records[i].offset_bytes, trace.records[i].offset_bytes / 4096 * 4096);
    ASSERT_EQ(back.records[i].length_bytes, trace.records[i].length_bytes);
    ASSERT_EQ(back.records[i].queue_ns, trace.records[i].queue_ns / 1'000'000'000 * 1'000'000'000);
  }
}

TEST_F(Exported, OracleGeneralKeepsDevicesApart) {
  Imported trace = everything();
  for (IoRecord& r : trace.records) r.offset_bytes = 4096;
  write("t.oracleGeneral.bin", trace);
  const std::string bytes = text_of("t.oracleGeneral.bin");
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::memcpy(&first, bytes.data() + 4, 8);
  std::memcpy(&second, bytes.data() + 28, 8);
  EXPECT_EQ(first, 1U);
  EXPECT_EQ(second, (1ULL << 44) + 1);
}

std::int64_t ask(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
  const std::int64_t answer = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return answer;
}

TEST_F(Exported, SqliteAnswersQuestions) {
  const Imported trace = everything();
  write("t.sqlite", trace);
  const std::string file = path("t.sqlite");
  EXPECT_EQ(ask(file, "SELECT count(*) FROM records"), 100);
  EXPECT_EQ(ask(file, "SELECT count(*) FROM records WHERE queue_ns IS NULL"), 20);
  EXPECT_EQ(ask(file, "SELECT count(*) FROM records WHERE cpu IS NULL"), 15);
  EXPECT_EQ(ask(file, "SELECT count(*) FROM io WHERE device_name = 'sdb' AND op = 'write'"),
            std::count_if(trace.records.begin(), trace.records.end(),
                          [](const IoRecord& r) { return r.device == 1 && r.op == IoOp::kWrite; }));
  EXPECT_EQ(ask(file, "SELECT sum(length_bytes) FROM io WHERE comm = 'proc 2'"), [&] {
    std::int64_t sum = 0;
    for (const IoRecord& r : trace.records) sum += r.stream == 2 ? r.length_bytes : 0;
    return sum;
  }());
  EXPECT_EQ(ask(file, "SELECT offset_bytes FROM records ORDER BY rowid LIMIT 1 OFFSET 99"),
            (99LL << 40) + 512);
  EXPECT_EQ(ask(file, "SELECT value FROM meta WHERE key = 'start_wall_ns'"),
            1'700'000'000'123'456'789);
  EXPECT_EQ(ask(file, "SELECT count(*) FROM losses WHERE count = 7 AND cause = 'ring full'"), 1);
  EXPECT_EQ(ask(file, "SELECT latency_ns FROM io LIMIT 1"), 99'999'001);
}

TEST_F(Exported, AWrittenDatabaseReplacesTheOldOne) {
  write("t.sqlite", everything());
  write("t.sqlite", everything());
  EXPECT_EQ(ask(path("t.sqlite"), "SELECT count(*) FROM records"), 100);
}

TEST_F(Exported, SuffixesAndNamesChooseTheFormat) {
  EXPECT_EQ(find_exporter("a/b.csv", {}).name, "csv");
  EXPECT_EQ(find_exporter("-", {}).name, "rgt");
  ExportOptions options;
  options.format = "jsonl";
  EXPECT_EQ(find_exporter("-", options).name, "jsonl");
  EXPECT_EQ(find_exporter("x.csv", options).name, "jsonl");
  options.format = "nosuch";
  EXPECT_THROW(static_cast<void>(find_exporter("x.csv", options)), UsageError);
  EXPECT_THROW(static_cast<void>(find_exporter("x.txt", {})), UsageError);
}

TEST_F(Exported, WhatCannotBeStreamedIsRefusedForAPipe) {
  ExportOptions options;
  options.format = "oracleGeneral";
  EXPECT_THROW(static_cast<void>(create_trace("-", options)), UsageError);
  EXPECT_THROW(static_cast<void>(create_trace("/dev/null", options)), UsageError);
  options.format = "sqlite";
  EXPECT_THROW(static_cast<void>(create_trace("-", options)), UsageError);
}

TEST_F(Exported, AFullDiskIsToldByEveryFormat) {
  const Imported trace = everything();
  for (const Exporter& exporter : exporters()) {
    if (exporter.name == "oracleGeneral" || exporter.name == "sqlite") continue;
    ExportOptions options;
    options.format = exporter.name;
    try {
      auto sink = create_trace("/dev/full", options);
      RecordBatch batch;
      batch.reset(trace.columns);
      for (const IoRecord& record : trace.records) batch.append(record);
      sink->write(batch, trace.tables);
      sink->finish(trace.tables);
      ADD_FAILURE() << exporter.name << " said nothing";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("No space left")) << exporter.name;
    }
  }
}

}  // namespace
}  // namespace rigel
