#include "traces/anonymizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kPage = 65536;
constexpr std::uint64_t kSector = 512;

AnonymizerOptions options_with(unsigned char seed) {
  AnonymizerOptions options;
  options.key.fill(seed);
  options.page_bytes = kPage;
  options.device_bytes = {1000 * kPage, 10 * kPage};
  return options;
}

std::vector<IoRecord> random_io() {
  std::mt19937_64 random{5};
  std::vector<IoRecord> records(5000);
  for (IoRecord& record : records) {
    record.device = random() % 4 == 0 ? 1 : 0;
    const std::uint64_t sectors = (record.device == 0 ? 1000 : 10) * kPage / kSector;
    record.length_bytes = static_cast<std::uint32_t>((1 + random() % 200) * kSector);
    record.offset_bytes = random() % (sectors - 200) * kSector;
  }
  return records;
}

TraceTables secret_tables() {
  TraceTables tables = tables_of({"secret_disk", "other"}, {"payroll", "ora_lgwr_HR"});
  tables.meta.host = "db1.example";
  tables.meta.source = "rigel capture";
  tables.meta.kernel = "6.1-secret";
  tables.meta.start_wall_ns = 1'700'000'000'000'000'000;
  tables.meta.extra["command"] = "payroll --secret";
  tables.devices[0].wwid = "naa.secret";
  tables.devices[0].model = "SECRET 9000";
  tables.devices[0].parent = "other";
  tables.streams[0].pid = tables.streams[0].tid = 4711;
  tables.streams[1].pid = 4712;
  tables.streams[1].tid = 4711;
  tables.streams[1].role = "lgwr";
  tables.streams[1].instance = "secret_HR";
  tables.warnings = {"line 3: secret"};
  return tables;
}

// The sectors touched, in order, as the distance (in sector accesses) to the last access to the
// same sector: all that a cache can see of a trace.
std::vector<std::size_t> reuse(const std::vector<IoRecord>& records) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> last;
  std::vector<std::size_t> distances;
  for (const IoRecord& record : records) {
    for (std::uint64_t at = 0; at < record.length_bytes; at += kSector) {
      std::size_t& seen = last[{record.device, record.offset_bytes + at}];
      distances.push_back(seen == 0 ? 0 : distances.size() + 1 - seen);
      seen = distances.size();
    }
  }
  return distances;
}

TEST(Anonymizer, ReuseIsKeptToTheSector) {
  const auto records = random_io();
  const auto source =
      anonymize(std::make_unique<MemoryTrace>(records, secret_tables()), options_with(1));
  const auto anonymous = read_all(*source);
  EXPECT_EQ(reuse(anonymous), reuse(records));
  EXPECT_GT(anonymous.size(), records.size());  // some were cut
  for (const IoRecord& record : anonymous) {
    const std::uint64_t end = record.offset_bytes + record.length_bytes;
    ASSERT_LE(end, source->tables().devices[record.device].size_bytes);
    ASSERT_EQ(record.offset_bytes / kPage, (end - 1) / kPage);
  }
}

TEST(Anonymizer, NothingThatNamesSomethingIsLeft) {
  const auto source =
      anonymize(std::make_unique<MemoryTrace>(random_io(), secret_tables()), options_with(1));
  EXPECT_FALSE(read_all(*source).empty());
  const TraceTables& tables = source->tables();
  std::string all = tables.meta.host + tables.meta.kernel;
  for (const auto& [key, value] : tables.meta.extra) all += key + value;
  for (const DeviceInfo& device : tables.devices) {
    all += device.name + device.wwid + device.model + device.parent;
  }
  for (const StreamInfo& stream : tables.streams) {
    all += stream.comm + stream.instance + stream.cgroup;
    EXPECT_LT(stream.pid, 10U);
  }
  for (const std::string& warning : tables.warnings) all += warning;
  for (const char* name : {"secret", "SECRET", "payroll", "HR", "db1", "other", "6.1"}) {
    EXPECT_EQ(all.find(name), std::string::npos) << name << " in " << all;
  }
  EXPECT_EQ(tables.meta.start_wall_ns, 0);
}

TEST(Anonymizer, WhatBelongsTogetherStaysTogether) {
  const auto source =
      anonymize(std::make_unique<MemoryTrace>(random_io(), secret_tables()), options_with(1));
  EXPECT_FALSE(read_all(*source).empty());
  const TraceTables& tables = source->tables();
  EXPECT_EQ(tables.devices[0].parent, tables.devices[1].name);
  EXPECT_EQ(tables.streams[1].tid, tables.streams[0].pid);
  EXPECT_NE(tables.streams[1].pid, tables.streams[0].pid);
  EXPECT_EQ(tables.streams[1].role, "lgwr");
  EXPECT_NE(tables.streams[0].comm, tables.streams[1].comm);
}

TEST(Anonymizer, TheKeyDecidesOverPlacesAndNames) {
  const auto run = [](unsigned char seed) {
    auto source =
        anonymize(std::make_unique<MemoryTrace>(random_io(), secret_tables()), options_with(seed));
    auto records = read_all(*source);
    return std::pair{records, source->tables().devices[0].name};
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1).first, run(2).first);
  EXPECT_NE(run(1).second, run(2).second);
}

TEST(Anonymizer, ADeviceOfUnknownSizeIsMeasuredFirst) {
  MemoryTrace first_pass{random_io(), secret_tables()};
  AnonymizerOptions options = options_with(1);
  options.device_bytes.clear();
  const auto blind =
      anonymize(std::make_unique<MemoryTrace>(random_io(), secret_tables()), options);
  EXPECT_THROW(static_cast<void>(read_all(*blind)), Error);

  options.device_bytes = device_extents(first_pass);
  ASSERT_EQ(options.device_bytes.size(), 2U);
  EXPECT_GT(options.device_bytes[0], 900 * kPage);
  EXPECT_LE(options.device_bytes[1], 10 * kPage);
  const auto seeing =
      anonymize(std::make_unique<MemoryTrace>(random_io(), secret_tables()), options);
  EXPECT_FALSE(read_all(*seeing).empty());
}

TEST(Anonymizer, ATraceWithoutATableOfDevicesIsOfOneNamelessDevice) {
  std::vector<IoRecord> records(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].offset_bytes = i / 2 * kPage;
    records[i].length_bytes = 4096;
  }
  const ColumnSet columns{Column::kOffset, Column::kLength};
  MemoryTrace first_pass{records, {}, columns};
  AnonymizerOptions options = options_with(1);
  options.device_bytes = device_extents(first_pass);
  const auto source =
      anonymize(std::make_unique<MemoryTrace>(records, TraceTables{}, columns), options);
  EXPECT_EQ(reuse(read_all(*source)), reuse(records));
}

TEST(Anonymizer, PagesSmallerThanASectorAreRefused) {
  AnonymizerOptions options;
  options.page_bytes = 511;
  EXPECT_THROW(static_cast<void>(anonymize(std::make_unique<MemoryTrace>(random_io()), options)),
               UsageError);
}

}  // namespace
}  // namespace rigel
