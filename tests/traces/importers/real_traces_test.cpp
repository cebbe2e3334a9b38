// The public traces, with the counts that their publishers or an independent program (awk, wc,
// blkparse's summary, the reference hit ratios' README) state.
#include <gtest/gtest.h>

#include <unordered_set>

#include "tests/traces/importers/imported.hpp"

namespace rigel {
namespace {

struct Expected {
  const char* file;
  const char* source;
  std::size_t records;
  std::size_t reads;  // where the format tells them apart; otherwise the number of records
  std::size_t devices;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.file;
}

class RealTrace : public testing::TestWithParam<Expected> {};

TEST_P(RealTrace, IsReadWithTheCountsItsPublisherStates) {
  const Expected& expected = GetParam();
  const Imported trace = import_files({test_data(std::string{"traces/"} + expected.file)});
  EXPECT_EQ(trace.tables.meta.source, expected.source);
  EXPECT_EQ(trace.records.size(), expected.records);
  const auto reads = std::count_if(trace.records.begin(), trace.records.end(),
                                   [](const IoRecord& r) { return r.op == IoOp::kRead; });
  EXPECT_EQ(static_cast<std::size_t>(reads), expected.reads);
  EXPECT_EQ(trace.tables.devices.size(), expected.devices);
  EXPECT_TRUE(trace.tables.damage.empty());
  EXPECT_TRUE(trace.tables.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Manifest, RealTrace,
    testing::Values(
        Expected{"arc_OLTP.lis.zst", "ARC page runs", 914145, 914145, 0},
        Expected{"arc_P3.lis.zst", "ARC page runs", 238578, 238578, 0},
        Expected{"cache2k_oltp.trc.bin.gz", "cache2k", 914145, 914145, 0},
        Expected{"cloudPhysicsIO.vscsi", "VSCSI version 1", 113872, 46974, 0},
        Expected{"cydonia_cp_test.csv", "Cydonia block trace", 1000, 47, 0},
        Expected{"mqsim_tpcc-small.trace", "MQSim trace", 6999, 4381, 16},
        Expected{"mqsim_wsrch-small.trace", "MQSim trace", 24783, 24779, 6},
        Expected{"disksim_atlas10k.trace", "DiskSim validation trace", 10000, 6569, 0},
        Expected{"disksim_barracuda.trace", "DiskSim validation trace", 10000, 6511, 0},
        Expected{"disksim_cheetah4LP.trace", "DiskSim validation trace", 10000, 6639, 0},
        Expected{"disksim_cheetah9LP.trace", "DiskSim validation trace", 10000, 6594, 0},
        Expected{"disksim_dec_rz26.trace", "DiskSim validation trace", 7980, 5424, 0},
        Expected{"disksim_hp_c2247a.trace", "DiskSim validation trace", 9999, 5115, 0},
        Expected{"disksim_hp_c2490a.trace", "DiskSim validation trace", 9984, 6817, 0},
        Expected{"disksim_st41601n.trace", "DiskSim validation trace", 9999, 6677, 0},
        Expected{"disksim_ascii.trace", "DiskSim ASCII trace", 100000, 79634, 14},
        Expected{"lirs_2_pools.trace.gz", "LIRS page list", 100000, 100000, 0},
        Expected{"lirs_cpp.trace.gz", "LIRS page list", 9047, 9047, 0},
        Expected{"lirs_cs.trace.gz", "LIRS page list", 6781, 6781, 0},
        Expected{"lirs_loop.trace.gz", "LIRS page list", 505500, 505500, 0},
        Expected{"lirs_multi1.trace.gz", "LIRS page list", 15858, 15858, 0},
        Expected{"lirs_sprite.trace.gz", "LIRS page list", 133996, 133996, 0},
        Expected{"lirs_zigzag.trace.gz", "LIRS page list", 52001, 52001, 0},
        Expected{"blktrace_viewer_sample.blktrace.0", "blktrace", 963, 963, 1}),
    [](const testing::TestParamInfo<Expected>& tested) {
      std::string name{tested.param.file};
      std::replace_if(
          name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

std::pair<std::size_t, std::size_t> pages_of(const Imported& trace, std::uint64_t page_bytes) {
  std::unordered_set<std::uint64_t> distinct;
  std::size_t accesses = 0;
  for (const IoRecord& record : trace.records) {
    if (record.length_bytes == 0) continue;
    const std::uint64_t last = (record.offset_bytes + record.length_bytes - 1) / page_bytes;
    for (std::uint64_t page = record.offset_bytes / page_bytes; page <= last; ++page) {
      distinct.insert(page);
      ++accesses;
    }
  }
  return {accesses, distinct.size()};
}

TEST(RealTraces, PagesAreThoseOfTheReference) {
  EXPECT_EQ(pages_of(import_files({test_data("traces/cloudPhysicsIO.vscsi")}), 4096),
            (std::pair<std::size_t, std::size_t>{1'141'869, 269'210}));
  EXPECT_EQ(pages_of(import_files({test_data("traces/arc_OLTP.lis.zst")}), 4096),
            (std::pair<std::size_t, std::size_t>{914'145, 186'880}));
  EXPECT_EQ(pages_of(import_files({test_data("traces/arc_P3.lis.zst")}), 4096),
            (std::pair<std::size_t, std::size_t>{3'912'296, 762'543}));
}

TEST(RealTraces, TwoEncodingsOfTheSameOltpTraceAgree) {
  const Imported lis = import_files({test_data("traces/arc_OLTP.lis.zst")});
  const Imported binary = import_files({test_data("traces/cache2k_oltp.trc.bin.gz")});
  EXPECT_EQ(lis.columns, binary.columns);
  EXPECT_TRUE(lis.records == binary.records);
}

TEST(RealTraces, PageSizeOfAPageListIsTheOneAskedFor) {
  OpenOptions options;
  options.record_page_bytes = 8192;
  const Imported trace = import_files({test_data("traces/arc_P3.lis.zst")}, options);
  EXPECT_EQ(trace.records[0].offset_bytes, 230027U * 8192);
  EXPECT_EQ(trace.records[0].length_bytes, 8U * 8192);
  EXPECT_EQ(trace.columns, (ColumnSet{Column::kOffset, Column::kLength}));
}

// MQSim's "938513000 4 264719034 16 0": nanoseconds, device, sector, sectors, 0 for a write.
TEST(RealTraces, UnitsAreTheFormats) {
  const Imported mqsim = import_files({test_data("traces/mqsim_tpcc-small.trace")});
  EXPECT_EQ(mqsim.records[0].queue_ns, 938'513'000);
  EXPECT_EQ(mqsim.tables.devices[mqsim.records[0].device].name, "4");
  EXPECT_EQ(mqsim.records[0].offset_bytes, 264719034ULL * 512);
  EXPECT_EQ(mqsim.records[0].length_bytes, 8192U);
  EXPECT_EQ(mqsim.records[0].op, IoOp::kWrite);
  // "13.191135 30 0 5 1": milliseconds, device, sector, sectors, bit 0 for a read.
  const Imported disksim = import_files({test_data("traces/disksim_ascii.trace")});
  EXPECT_EQ(disksim.records[0].queue_ns, 13'191'135);
  EXPECT_EQ(disksim.tables.devices[disksim.records[0].device].name, "30");
  EXPECT_EQ(disksim.records[0].length_bytes, 2560U);
  EXPECT_EQ(disksim.records[0].op, IoOp::kRead);
  // "W Hit 4583176 4 663.00000 45422.00000", then "W Hit 4583180 4 607…": microseconds.
  const Imported atlas = import_files({test_data("traces/disksim_atlas10k.trace")});
  EXPECT_EQ(atlas.records[0].complete_ns, 663'000);
  EXPECT_EQ(atlas.records[1].queue_ns, 663'000 + 45'422'000);
  EXPECT_EQ(atlas.records[1].complete_ns, 663'000 + 45'422'000 + 607'000);
}

// The first I/O as blkparse prints it: Q at 0.000000184, D at 0.000001676, C at 0.000056992,
// "259,0 1 … 21279 Q RA 2348060440 + 8".
TEST(RealTraces, BlktraceEventsOfOneIoAreOneRecord) {
  const Imported trace = import_files({test_data("traces/blktrace_viewer_sample.blktrace.0")});
  const IoRecord& first = trace.records[0];
  EXPECT_EQ(first.queue_ns, 184);
  EXPECT_EQ(first.issue_ns, 1676);
  EXPECT_EQ(first.complete_ns, 56992);
  EXPECT_EQ(first.offset_bytes, 2348060440ULL * 512);
  EXPECT_EQ(first.length_bytes, 4096U);
  EXPECT_EQ(first.op, IoOp::kRead);
  EXPECT_EQ(first.flags, io_flag::kReadahead);
  EXPECT_EQ(first.cpu, 1);
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(trace.tables.devices[0].name, "259,0");
  EXPECT_EQ(trace.tables.devices[0].major, 259U);
  EXPECT_EQ(trace.tables.streams[first.stream].pid, 21279U);
  // blkparse's last completion: 0.345541853.
  EXPECT_EQ(trace.records.back().complete_ns, 345'541'853);
}

}  // namespace
}  // namespace rigel
