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
