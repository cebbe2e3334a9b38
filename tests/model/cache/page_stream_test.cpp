#include "model/cache/page_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/cache/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel::test {
namespace {

using testing::ElementsAre;

struct Cut {
  std::vector<std::uint64_t> pages;
  std::vector<std::uint32_t> bytes;
  std::vector<bool> last;
};

Cut cut(const std::vector<IoRecord>& records, const PageStreamOptions& options) {
  Cut result;
  for_each_block(records, options, [&](const PageBlock& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      result.pages.push_back(block.pages[i]);
      result.bytes.push_back(block.accesses[i].bytes());
      result.last.push_back(block.accesses[i].last());
    }
  });
  return result;
}

TEST(PageStream, CutsARequestAtPageEdges) {
  const Cut got = cut({read_of(4096 + 512, 8192)}, {.page_bytes = 4096});
  EXPECT_THAT(got.pages, ElementsAre(1, 2, 3));
  EXPECT_THAT(got.bytes, ElementsAre(3584, 4096, 512));
  EXPECT_THAT(got.last, ElementsAre(false, false, true));
}

TEST(PageStream, TakesPageSizesThatAreNoPowerOfTwo) {
  const Cut got = cut({read_of(0, 3 * 56 * 1024), read_of(56 * 1024, 512)}, {.page_bytes = 57344});
  EXPECT_THAT(got.pages, ElementsAre(0, 1, 2, 1));
}

TEST(PageStream, GoesOnWithALongRequestInTheNextBlock) {
  const Cut got = cut({read_of(0, 5 * 4096)}, {.page_bytes = 4096, .block_accesses = 2});
  EXPECT_THAT(got.pages, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(got.last, ElementsAre(false, false, false, false, true));
}

TEST(PageStream, PassesOverWhatTouchesNoPage) {
  IoRecord flush = read_of(0, 0);
  flush.op = IoOp::kFlush;
  IoRecord discard = read_of(0, 1U << 30);
  discard.op = IoOp::kDiscard;
  const Cut got = cut({flush, discard, read_of(8192, 0), read_of(4096, 512)}, {.page_bytes = 4096});
  EXPECT_THAT(got.pages, ElementsAre(1));
}

TEST(PageStream, KeepsTheSamePageOfTwoDevicesApart) {
  IoRecord other = read_of(4096, 512);
  other.device = 3;
  const Cut got = cut({read_of(4096, 512), other}, {.page_bytes = 4096});
  EXPECT_THAT(got.pages, ElementsAre(1, 1 | std::uint64_t{3} << kPageNumberBits));
}

// The pages of one request to each device of a table, at an offset of its own.
std::vector<std::uint64_t> pages_of(const std::vector<DeviceInfo>& devices,
                                    const std::vector<std::uint64_t>& offsets) {
  std::vector<IoRecord> records;
  for (std::uint32_t device = 0; device < devices.size(); ++device) {
    records.push_back(read_of(offsets[device], 512));
    records.back().device = device;
  }
  MemoryTrace trace{records};
  trace.tables().devices = devices;
  PageStream stream{trace, {.page_bytes = 4096}};
  PageBlock block;
  std::vector<std::uint64_t> pages;
  while (stream.next(block)) pages.insert(pages.end(), block.pages.begin(), block.pages.end());
  return pages;
}

DeviceInfo partition(const std::string& name, const std::string& parent,
                     std::uint64_t start_bytes) {
  DeviceInfo device;
  device.name = name;
  device.parent = parent;
  device.start_bytes = start_bytes;
  return device;
}
DeviceInfo disk(const std::string& name) {
  return partition(name, "", 0);
}
DeviceInfo with_wwid(DeviceInfo device, const std::string& wwid) {
  device.wwid = wwid;
  return device;
}

TEST(PageStream, FoldsPartitionsOntoTheirDisk) {
  const DeviceInfo first = partition("sda1", "sda", 4096 * 10);
  const DeviceInfo second = partition("sda2", "sda", 4096 * 100);
  EXPECT_THAT(pages_of({disk("sda"), first, second}, {4096 * 12, 4096 * 2, 4096}),
              ElementsAre(12, 12, 101));
  // Whichever comes first stands for the disk, and it need not be there.
  EXPECT_THAT(pages_of({second, first}, {0, 4096 * 90}), ElementsAre(100, 100));
}

TEST(PageStream, KnowsALunByItsWwidWhateverThePath) {
  const DeviceInfo part = with_wwid(partition("sdc1", "sdc", 4096 * 8), "naa.1");
  EXPECT_THAT(pages_of({with_wwid(disk("sdb"), "naa.1"), with_wwid(disk("sdc"), "naa.1"), part,
                        with_wwid(disk("sdd"), "naa.2")},
                       {4096, 4096, 0, 4096}),
              ElementsAre(1, 1, 8, 1 | std::uint64_t{3} << kPageNumberBits));
}

TEST(PageStream, KeepsDisksOfOneNameOnTwoHostsApart) {
  const DeviceInfo mine = partition("sda1", "sda", 4096);
  const DeviceInfo yours = partition("sda1@other", "sda", 4096);
  const std::uint64_t you = std::uint64_t{1} << kPageNumberBits;
  EXPECT_THAT(pages_of({mine, yours, disk("sda@other")}, {0, 0, 4096}),
              ElementsAre(1, 1 | you, 1 | you));
}

TEST(PageStream, RefusesAPartitionThatPassesTheEndOf64Bits) {
  EXPECT_THROW(pages_of({partition("a1", "a", ~std::uint64_t{0} - 4096)}, {8192}), Error);
}

TEST(PageStream, TellsEachAccessTheTimeSinceTheFirst) {
  std::vector<IoRecord> records{read_of(0, 8192), read_of(0, 512)};
  records[0].queue_ns = 70;
  records[1].queue_ns = 75;
  std::vector<std::int64_t> times;
  for_each_block(records, {.page_bytes = 4096, .with_times = true}, [&](const PageBlock& block) {
    times.insert(times.end(), block.times_ns.begin(), block.times_ns.end());
  });
  EXPECT_THAT(times, ElementsAre(0, 0, 5));
}

TEST(PageStream, RefusesWhatCannotBeNamed) {
  const PageStreamOptions options{.page_bytes = 4096, .trace_name = "t"};
  EXPECT_THROW(cut({read_of(~std::uint64_t{0} - 100, 4096)}, options), Error);
  EXPECT_THROW(cut({read_of(std::uint64_t{1} << 60, 4096)}, options), Error);
  IoRecord device = read_of(0, 4096);
  device.device = kMaxDevices;
  EXPECT_THROW(cut({device}, options), Error);
  EXPECT_THROW(cut({}, {.page_bytes = 1000}), UsageError);
  EXPECT_THROW(cut({}, {.page_bytes = 0}), UsageError);
}

TEST(PageStream, EndsABlockWhereTheWarmUpAndAWindowEnd) {
  std::vector<IoRecord> records;
  for (const std::int64_t time : {0, 5, 10, 9, 21}) {
    records.push_back(read_of(0, 512));
    records.back().issue_ns = time;
  }
  std::vector<std::pair<std::uint64_t, bool>> blocks;
  for_each_block(records, {.page_bytes = 4096, .warm_up_ns = 5, .window_ns = 10},
                 [&](const PageBlock& block) { blocks.emplace_back(block.window, block.counted); });
  EXPECT_THAT(blocks, ElementsAre(std::pair{0, false}, std::pair{0, true}, std::pair{1, true},
                                  std::pair{2, true}));
}

}  // namespace
}  // namespace rigel::test
