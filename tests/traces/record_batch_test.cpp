#include "traces/record_batch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rigel {
namespace {

TEST(RecordBatch, KeepDropsTheOtherRowsInEveryColumnThatIsPresent) {
  RecordBatch batch;
  batch.reset({Column::kOffset, Column::kCpu});
  for (std::uint16_t i = 0; i < 6; ++i) {
    IoRecord record;
    record.offset_bytes = 100U + i;
    record.length_bytes = 7;
    record.cpu = i;
    batch.append(record);
  }
  batch.keep_rows(std::vector<std::uint32_t>{0, 3, 5});
  ASSERT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.offset_bytes, (std::vector<std::uint64_t>{100, 103, 105}));
  EXPECT_EQ(batch.cpu, (std::vector<std::uint16_t>{0, 3, 5}));
  EXPECT_TRUE(batch.length_bytes.empty());

  batch.keep_rows({});
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.offset_bytes.empty());
}

}  // namespace
}  // namespace rigel
