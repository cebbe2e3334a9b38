#include "tests/model/cache/memory_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace rigel::test {

namespace {

constexpr std::uint32_t kPage = 4096;

std::string contents(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error{"cannot run " + command};
  char buffer[65536];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  if (pclose(pipe) != 0) {
    throw std::runtime_error{command + " failed: is RIGEL_TEST_DATA right? It is " RIGEL_TEST_DATA};
  }
  return text;
}

template <typename T>
T field(const char* record, std::size_t offset) {
  T value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

std::vector<IoRecord> vscsi(const std::string& bytes) {
  std::vector<IoRecord> records;
  for (const char* at = bytes.data(); at + 32 <= bytes.data() + bytes.size(); at += 32) {
    const auto length = field<std::uint32_t>(at, 4);
    const std::uint64_t offset = field<std::uint64_t>(at, 16) * 512;
    records.push_back(field<std::uint16_t>(at, 12) == 0x28 ? read_of(offset, length)
                                                           : write_of(offset, length));
    records.back().queue_ns = field<std::int64_t>(at, 24) * 1000;
  }
  return records;
}

std::vector<IoRecord> page_numbers(const std::string& text, bool with_count) {
  std::vector<IoRecord> records;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::uint64_t page = 0;
    std::uint32_t count = 1;
    if (!(words >> page)) continue;
    if (with_count) words >> count;
    records.push_back(read_of(page * kPage, count * kPage));
  }
  return records;
}

std::vector<IoRecord> load(const std::string& name) {
  const std::string base = RIGEL_TEST_DATA "/traces/" + name;
  if (name == "cloudPhysicsIO") return vscsi(contents("cat " + base + ".vscsi"));
  if (name.starts_with("arc_")) return page_numbers(contents("zstdcat " + base + ".lis.zst"), true);
  return page_numbers(contents("zcat " + base + ".trace.gz"), false);
}

}  // namespace

bool MemoryTrace::next(RecordBatch& batch) {
  batch.reset(ColumnSet::all());
  for (; at_ < records_.size() && batch.size() < batch_records_; ++at_) batch.append(records_[at_]);
  return !batch.empty();
}

IoRecord read_of(std::uint64_t offset_bytes, std::uint32_t length_bytes) {
  IoRecord record;
  record.offset_bytes = offset_bytes;
  record.length_bytes = length_bytes;
  return record;
}

IoRecord write_of(std::uint64_t offset_bytes, std::uint32_t length_bytes) {
  IoRecord record = read_of(offset_bytes, length_bytes);
  record.op = IoOp::kWrite;
  return record;
}

std::vector<IoRecord> reads_of_pages(const std::vector<std::uint64_t>& pages) {
  std::vector<IoRecord> records;
  records.reserve(pages.size());
  for (const std::uint64_t page : pages) records.push_back(read_of(page * kPage, kPage));
  return records;
}

const std::vector<IoRecord>& real_trace(const std::string& name) {
  static std::map<std::string, std::vector<IoRecord>> traces;
  const auto found = traces.find(name);
  return found != traces.end() ? found->second : traces.emplace(name, load(name)).first->second;
}

void for_each_block(const std::vector<IoRecord>& records, const PageStreamOptions& options,
                    const BlockVisitor& visit) {
  MemoryTrace trace{records};
  PageStream stream{trace, options};
  PageIndex index;
  PageBlock block;
  while (stream.next(block)) {
    index.number(block);
    visit(block);
  }
}

std::vector<ReferenceHitRatio> reference_hit_ratios(const std::string& policy) {
  const std::string path = RIGEL_TEST_DATA "/reference/hit-ratios.csv";
  std::ifstream file{path};
  if (!file) throw std::runtime_error{"cannot open " + path};
  std::vector<ReferenceHitRatio> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words{line};
    ReferenceHitRatio row;
    words >> row.trace >> row.policy >> row.capacity_pages >> row.hit_ratio;
    if (row.policy != policy) continue;
    if (const auto at = row.trace.find('@'); at != std::string::npos) {
      row.page_bytes = row.trace.substr(at) == "@16k" ? 16384 : 4096;
      row.trace.resize(at);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace rigel::test
