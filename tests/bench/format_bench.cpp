// Size and speed of .rgt against what people use today, on real traces.
//
//   format_bench size [TRACE...]    bytes a record: CSV, blktrace and oracleGeneral by zstd -19,
//   .rgt
//                                   as it comes
//   format_bench speed [TRACE]      records a second of CPU time, one core
//
// Without a TRACE, those of the test data. "blktrace" is five events of 48 bytes an I/O (Q G I D C)
// in time order; "oracleGeneral" is libCacheSim's 24 bytes (u32 second, u64 id, u32 size, i64 index
// of the next access), which holds neither op nor device nor any finer time. Its reader here does
// what libCacheSim's does: zstd in a stream, then a call a request through a pointer.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "traces/byte_sink.hpp"
#include "traces/byte_source.hpp"
#include "traces/trace_reader.hpp"
#include "traces/trace_writer.hpp"

namespace {

using namespace rigel;

struct Trace {
  std::string name;
  ColumnSet columns;
  std::vector<IoRecord> records;
  TraceTables tables;
};

Trace load(const std::string& path) {
  const auto source = open_trace({path});
  Trace trace;
  trace.name = path.substr(path.rfind('/') + 1);
  RecordBatch batch;
  while (source->next(batch)) {
    trace.columns = trace.columns | batch.present;
    for (std::size_t i = 0; i < batch.size(); ++i) trace.records.push_back(batch.record(i));
  }
  trace.tables = source->tables();
  trace.tables.damage.clear();
  return trace;
}

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string as_csv(const Trace& trace) {
  std::string out;
  for (const IoRecord& record : trace.records) {
    const auto cell = [&](Column column, const auto& value) {
      if (trace.columns.has(column)) fmt::format_to(std::back_inserter(out), "{},", value);
    };
    cell(Column::kQueue, record.queue_ns);
    cell(Column::kIssue, record.issue_ns);
    cell(Column::kComplete, record.complete_ns);
    cell(Column::kDevice, record.device);
    cell(Column::kOffset, record.offset_bytes);
    cell(Column::kLength, record.length_bytes);
    cell(Column::kOp, op_name(record.op));
    cell(Column::kFlags, record.flags);
    cell(Column::kStream, record.stream);
    cell(Column::kCpu, record.cpu);
    cell(Column::kStatus, record.status);
    out.back() = '\n';
  }
  return out;
}

std::string as_blktrace(const Trace& trace) {
  struct Event {
    std::int64_t time_ns;
    std::uint32_t action;
    const IoRecord* record;
  };
  std::vector<Event> events;
  std::int64_t now = 0;
  for (const IoRecord& record : trace.records) {
    const auto or_last = [&](std::int64_t time) { return now = time == kNoTime ? now : time; };
    const std::int64_t queue = or_last(record.queue_ns);
    for (const std::uint32_t action : {1U, 2U, 3U}) events.push_back({queue, action, &record});
    events.push_back({or_last(record.issue_ns), 7, &record});
    events.push_back({or_last(record.complete_ns), 8, &record});
    now = queue;
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  std::string out;
  std::uint32_t sequence = 0;
  for (const Event& event : events) {
    const IoRecord& record = *event.record;
    put(out, std::uint32_t{0x65617407});
    put(out, ++sequence);
    put(out, event.time_ns);
    put(out, record.offset_bytes / 512);
    put(out, record.length_bytes);
    put(out, event.action | (record.op == IoOp::kWrite ? 2U : 1U) << 16);
    put(out, record.stream);
    put(out, std::uint32_t{0x800000} + record.device);
    put(out, std::uint32_t{record.cpu});
    put(out, std::uint32_t{0});
  }
  return out;
}

std::string as_oracle_general(const Trace& trace) {
  const auto id = [](const IoRecord& record) {
    return record.offset_bytes / 512 + (std::uint64_t{record.device} << 48);
  };
  std::unordered_map<std::uint64_t, std::int64_t> next;
  std::vector<std::int64_t> next_access(trace.records.size(), -1);
  for (std::size_t i = trace.records.size(); i-- > 0;) {
    const auto [found, added] = next.try_emplace(id(trace.records[i]), -1);
    next_access[i] = found->second;
    found->second = static_cast<std::int64_t>(i);
  }
  std::string out;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const IoRecord& record = trace.records[i];
    const std::int64_t time = record.queue_ns == kNoTime ? 0 : record.queue_ns;
    put(out, static_cast<std::uint32_t>(time / 1'000'000'000));
    put(out, id(record));
    put(out, record.length_bytes);
    put(out, next_access[i]);
  }
  return out;
}

RecordBatch as_batch(const Trace& trace) {
  RecordBatch batch;
  batch.reset(trace.columns);
  for (const IoRecord& record : trace.records) batch.append(record);
  return batch;
}

std::vector<std::byte> as_rgt(const RecordBatch& batch, const TraceTables& tables) {
  std::vector<std::byte> bytes;
  TraceWriter writer{memory_sink(bytes, "memory")};
  writer.write(batch, tables);
  writer.finish(tables);
  return bytes;
}

std::string compressed(const std::string& text, int level) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level));
  return out;
}

double cpu_seconds(const std::function<void()>& work) {
  const auto now = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = now();
  work();
  return now() - before;
}

void print_sizes(const Trace& trace) {
  const auto count = static_cast<double>(trace.records.size());
  const auto each = [&](std::size_t bytes) { return static_cast<double>(bytes) / count; };
  const double csv = each(compressed(as_csv(trace), 19).size());
  const double blktrace = each(compressed(as_blktrace(trace), 19).size());
  const double oracle = each(compressed(as_oracle_general(trace), 19).size());
  const double rgt = each(as_rgt(as_batch(trace), trace.tables).size());
  fmt::print("{:<34} {:>9} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>7.0f} %\n", trace.name,
             trace.records.size(), csv, blktrace, oracle, rgt, 100 * rgt / csv);
  std::fflush(stdout);
}

// What libCacheSim hands out for each request.
struct Request {
  std::int64_t clock_time = 0;
  std::uint64_t id = 0;
  std::int64_t size = 0;
  std::int64_t next_access = 0;
};

int read_oracle_request(const char* bytes, Request* request) {
  std::uint32_t time = 0;
  std::uint32_t size = 0;
  std::memcpy(&time, bytes, sizeof time);
  std::memcpy(&request->id, bytes + 4, sizeof request->id);
  std::memcpy(&size, bytes + 12, sizeof size);
  std::memcpy(&request->next_access, bytes + 16, sizeof request->next_access);
  request->clock_time = time;
  request->size = size;
  return size == 0 ? 1 : 0;
}

std::uint64_t read_oracle_general(const std::string& path) {
  // Volatile, so that the call stays one through a pointer.
  int (*volatile read_one)(const char*, Request*) = read_oracle_request;
  ZSTD_DStream* stream = ZSTD_createDStream();
  std::FILE* file = std::fopen(path.c_str(), "rb");
  std::vector<char> in(ZSTD_DStreamInSize());
  std::vector<char> out(2 * ZSTD_DStreamOutSize());
  ZSTD_inBuffer input{in.data(), 0, 0};
  std::size_t held = 0;
  std::uint64_t sum = 0;
  bool more = true;
  while (more) {
    if (input.pos == input.size) input = {in.data(), std::fread(in.data(), 1, in.size(), file), 0};
    ZSTD_outBuffer output{out.data(), out.size(), held};
    const std::size_t left = ZSTD_decompressStream(stream, &output, &input);
    more = left != 0 && ZSTD_isError(left) == 0;
    std::size_t at = 0;
    for (; at + 24 <= output.pos; at += 24) {
      Request request;
      if (read_one(out.data() + at, &request) == 0) sum += request.id;
    }
    held = output.pos - at;
    std::memmove(out.data(), out.data() + at, held);
  }
  std::fclose(file);
  ZSTD_freeDStream(stream);
  return sum;
}

std::uint64_t read_rgt(const std::string& path, ColumnSet columns) {
  TraceReader reader{open_file(path), {.columns = columns}};
  RecordBatch batch;
  std::uint64_t sum = 0;
  while (reader.next(batch)) {
    for (const std::uint64_t offset : batch.offset_bytes) sum += offset;
  }
  return sum;
}

// The trace over and over, later each time, until there are a few million records.
Trace made_long(const Trace& trace) {
  constexpr std::size_t kWanted = 4'000'000;
  Trace result = trace;
  const std::int64_t period = trace.records.back().start_ns() + 1'000'000;
  for (std::int64_t round = 1; result.records.size() < kWanted; ++round) {
    for (IoRecord record : trace.records) {
      for (std::int64_t* time : {&record.queue_ns, &record.issue_ns, &record.complete_ns}) {
        if (*time != kNoTime) *time += round * period;
      }
      result.records.push_back(record);
    }
  }
  return result;
}

void print_speeds(const Trace& short_trace) {
  const Trace trace = made_long(short_trace);
  const auto count = static_cast<double>(trace.records.size());
  const std::string oracle = compressed(as_oracle_general(trace), 3);
  const RecordBatch batch = as_batch(trace);
  std::vector<std::byte> rgt;
  const double write = cpu_seconds([&] { rgt = as_rgt(batch, trace.tables); });
  const std::string oracle_path =
      std::filesystem::temp_directory_path() / fmt::format("rigel-format-bench-{}", getpid());
  const std::string rgt_path = oracle_path + ".rgt";
  create_file(oracle_path)->write(std::as_bytes(std::span{oracle}));
  create_file(rgt_path)->write(rgt);
  std::uint64_t sums = 0;
  const auto fastest = [&](const std::function<std::uint64_t()>& read) {
    double best = 1e9;
    for (int i = 0; i < 5; ++i) best = std::min(best, cpu_seconds([&] { sums += read(); }));
    return best;
  };
  const ColumnSet few{Column::kOffset, Column::kLength, Column::kOp};
  const double base = fastest([&] { return read_oracle_general(oracle_path); });
  const double some = fastest([&] { return read_rgt(rgt_path, few); });
  const double all = fastest([&] { return read_rgt(rgt_path, ColumnSet::all()); });
  std::filesystem::remove(oracle_path);
  std::filesystem::remove(rgt_path);
  fmt::print("{}: {:.0f} records ({:x})\n", trace.name, count, sums & 0xff);
  const auto line = [&](const char* what, double seconds) {
    fmt::print("  {:<34} {:>7.1f} M records/s  {:>5.1f} x\n", what, count / seconds / 1e6,
               base / seconds);
  };
  line("read zstd oracleGeneral", base);
  line("read .rgt: offset, length, op", some);
  line("read .rgt: all columns", all);
  line("write .rgt", write);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::vector<std::string> paths(argv + std::min(argc, 2), argv + argc);
  if (mode == "size") {
    if (paths.empty()) {
      for (const char* name : {"cloudPhysicsIO.vscsi", "blktrace_viewer_sample.blktrace.0"}) {
        paths.push_back(std::string{RIGEL_TEST_DATA "/traces/"} + name);
      }
    }
    fmt::print("{:<34} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "bytes a record", "records", "csv19",
               "blk19", "oracle19", "rgt", "rgt/csv19");
    for (const std::string& path : paths) print_sizes(load(path));
    return 0;
  }
  if (mode == "speed") {
    if (paths.empty()) paths.push_back(RIGEL_TEST_DATA "/traces/cloudPhysicsIO.vscsi");
    for (const std::string& path : paths) print_speeds(load(path));
    return 0;
  }
  fmt::print(stderr, "Usage: format_bench size|speed [TRACE...]\n");
  return 2;
}
