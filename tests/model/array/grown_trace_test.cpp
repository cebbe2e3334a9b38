// A load that has grown in data: how many I/Os it has, when, and on what.
#include "model/array/grown_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/traces/memory_trace.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// A hundred seconds, in each of the first ten of which 100 I/Os, then one a second.
std::vector<IoRecord> burst_then_quiet() {
  std::vector<IoRecord> records;
  for (std::int64_t second = 0; second < 100; ++second) {
    const int ios = second < 10 ? 100 : 1;
    for (int i = 0; i < ios; ++i) {
      IoRecord record;
      record.queue_ns = 5 * kSecond + second * kSecond + i * kSecond / ios;
      record.complete_ns = record.queue_ns + 1000;
      record.offset_bytes = records.size() * 4096;
      record.length_bytes = 4096;
      record.op = IoOp::kRead;
      records.push_back(record);
    }
  }
  return records;
}

std::vector<IoRecord> grown(const std::vector<IoRecord>& records, double growth,
                            std::set<std::string>* devices = nullptr) {
  const auto open = [&records] {
    return std::make_unique<MemoryTrace>(records, tables_of({"sda"}), ColumnSet::all(), 64);
  };
  const std::unique_ptr<TraceSource> source = grown_trace(open, growth);
  std::vector<IoRecord> all;
  RecordBatch batch;
  while (source->next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      all.push_back(batch.record(i));
      if (devices != nullptr) devices->insert(source->tables().devices.at(all.back().device).name);
    }
  }
  return all;
}

TEST(GrownTrace, EachCopyHasAllIosOnDataOfItsOwnWithinTheTimeOfTheTrace) {
  const std::vector<IoRecord> records = burst_then_quiet();
  std::set<std::string> devices;
  const std::vector<IoRecord> four = grown(records, 4, &devices);
  EXPECT_EQ(devices, (std::set<std::string>{"sda~0", "sda~1", "sda~2", "sda~3"}));
  ASSERT_EQ(four.size(), 4 * records.size());
  std::map<std::uint32_t, std::set<std::uint64_t>> offsets;
  for (std::size_t i = 0; i < four.size(); ++i) {
    offsets[four[i].device].insert(four[i].offset_bytes);
    EXPECT_LE(four[i > 0 ? i - 1 : 0].queue_ns, four[i].queue_ns);
    EXPECT_EQ(four[i].complete_ns - four[i].queue_ns, 1000);
  }
  for (const auto& [device, of_it] : offsets) EXPECT_EQ(of_it.size(), records.size()) << device;
  EXPECT_EQ(four.front().queue_ns, records.front().queue_ns);
  // A round takes the trace and the one gap from its end to its beginning.
  EXPECT_LE(four.back().queue_ns, records.back().queue_ns + kSecond);
}

// A burst of a tenth of the time stays as high as it was, while copies have room beside each other.
TEST(GrownTrace, BurstsOfCopiesDoNotFallTogether) {
  const std::vector<IoRecord> records = burst_then_quiet();
  for (const double growth : {1.0, 2.0, 3.0, 5.0}) {
    std::map<std::int64_t, int> of_second;
    for (const IoRecord& record : grown(records, growth)) {
      ++of_second[(record.queue_ns - 5 * kSecond) / kSecond];
    }
    int most = 0;
    for (const auto& [second, ios] : of_second) most = std::max(most, ios);
    EXPECT_LE(most, 100 + 2 * static_cast<int>(growth)) << growth;
  }
}

TEST(GrownTrace, OneTimesTheTraceIsTheTrace) {
  const std::vector<IoRecord> records = burst_then_quiet();
  const std::vector<IoRecord> same = grown(records, 1);
  ASSERT_EQ(same.size(), records.size());
  for (std::size_t i = 0; i < same.size(); ++i) EXPECT_EQ(same[i].queue_ns, records[i].queue_ns);
}

}  // namespace
}  // namespace rigel
