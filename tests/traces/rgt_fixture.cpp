#include "tests/traces/rgt_fixture.hpp"

#include <algorithm>
#include <random>

namespace rigel {

TraceTables busy_tables() {
  TraceTables tables;
  tables.meta = {.source = "rigel test",
                 .host = "dbhost",
                 .kernel = "6.1.0-18-amd64",
                 .clock = "CLOCK_MONOTONIC",
                 .start_wall_ns = 1'700'000'000'123'456'789,
                 .extra = {{"filter", "device nvme0n1"}, {"note", "größer"}}};
  tables.devices = {{.name = "nvme0n1",
                     .major = 259,
                     .minor = 0,
                     .size_bytes = 3'298'534'883'328,
                     .logical_block_bytes = 512,
                     .wwid = "eui.0025388b710116a1",
                     .model = "Model \"X\"",
                     .parent = "",
                     .start_bytes = 0},
                    {.name = "sda1",
                     .major = 8,
                     .minor = 1,
                     .size_bytes = 1'000'000'000,
                     .logical_block_bytes = 4096,
                     .wwid = "",
                     .model = "",
                     .parent = "sda",
                     .start_bytes = 1'048'576}};
  tables.streams = {{.comm = "ora_dbw0_ORCL",
                     .pid = 4711,
                     .tid = 4711,
                     .role = "dbwr",
                     .instance = "ORCL",
                     .cgroup = "/oracle"},
                    {.comm = "fio", .pid = 1, .tid = 2, .role = "", .instance = "", .cgroup = ""},
                    {.comm = "", .pid = 0, .tid = 0, .role = "", .instance = "", .cgroup = ""}};
  tables.losses = {{.from_ns = -5, .to_ns = 1'000'000, .count = 12, .cause = "ring full"}};
  tables.warnings = {"line 7: time goes back"};
  return tables;
}

std::vector<IoRecord> busy_records(std::size_t count) {
  std::mt19937_64 random{7};
  std::vector<IoRecord> records(count);
  std::int64_t now = -1'000'000;
  std::uint64_t next_offset = 1 << 20;
  for (IoRecord& record : records) {
    now += static_cast<std::int64_t>(random() % 100'000);
    record.queue_ns = now;
    record.issue_ns = now + static_cast<std::int64_t>(random() % 5'000);
    record.complete_ns = random() % 20 == 0
                             ? kNoTime
                             : record.issue_ns + static_cast<std::int64_t>(random() % 300'000);
    record.length_bytes = static_cast<std::uint32_t>(512 * (1 + random() % 16));
    if (random() % 3 == 0) next_offset = (random() % 1'000'000) * 4096;
    record.offset_bytes = next_offset;
    next_offset += record.length_bytes;
    record.device = static_cast<std::uint32_t>(random() % 2);
    record.stream = static_cast<std::uint32_t>(random() % 3);
    record.op = random() % 3 == 0 ? IoOp::kWrite : IoOp::kRead;
    record.flags = record.op == IoOp::kWrite ? io_flag::kSync | io_flag::kFua : 0;
    record.cpu = static_cast<std::uint16_t>(random() % 32);
    record.status = random() % 50 == 0 ? 5 : 0;
  }
  return records;
}

void write_records(TraceWriter& writer, std::span<const IoRecord> records,
                   const TraceTables& tables, std::size_t per_batch, ColumnSet columns) {
  while (!records.empty()) {
    const auto some = records.first(std::min(per_batch, records.size()));
    RecordBatch batch;
    batch.reset(columns);
    for (const IoRecord& record : some) batch.append(record);
    writer.write(batch, tables);
    records = records.subspan(some.size());
  }
}

std::vector<std::byte> write_trace(std::span<const IoRecord> records, const TraceTables& tables,
                                   std::size_t per_block, std::size_t per_batch,
                                   ColumnSet columns) {
  std::vector<std::byte> bytes;
  TraceWriter writer{memory_sink(bytes, "memory"), {.records_per_block = per_block}};
  write_records(writer, records, tables, per_batch, columns);
  writer.finish(tables);
  return bytes;
}

ReadTrace read_trace(std::span<const std::byte> bytes, TraceReaderOptions options) {
  TraceReader reader{memory_source(bytes, "memory"), options};
  ReadTrace result;
  result.present = ColumnSet::all();
  RecordBatch batch;
  while (reader.next(batch)) {
    result.present = result.present & batch.present;
    for (std::size_t i = 0; i < batch.size(); ++i) result.records.push_back(batch.record(i));
  }
  result.tables = reader.tables();
  return result;
}

}  // namespace rigel
