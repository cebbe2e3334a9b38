#include "model/array/lun_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/falloc.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string text_at(LunStore& store, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  EXPECT_EQ(store.read(offset, text.data(), size), 0);
  return text;
}

TEST(LunStore, MemoryReadsAsZerosWhereNothingWasWrittenOrWhatWasIsDiscarded) {
  const auto store = memory_store(1ULL << 40);  // takes no memory yet
  EXPECT_EQ(text_at(*store, (1ULL << 40) - 4, 4), std::string(4, '\0'));
  ASSERT_EQ(store->write(1ULL << 39, "abcd", 4), 0);
  EXPECT_EQ(text_at(*store, (1ULL << 39) + 1, 3), "bcd");
  ASSERT_EQ(store->allocate(FALLOC_FL_PUNCH_HOLE, 1ULL << 39, 4096), 0);
  EXPECT_EQ(text_at(*store, 1ULL << 39, 4), std::string(4, '\0'));
}

TEST(LunStore, AFileKeepsWhatIsInItAndGrowsToTheSize) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "store";
  ASSERT_EQ(file_store(path, 1 << 20)->write(5000, "kept", 4), 0);
  EXPECT_EQ(text_at(*file_store(path, 1 << 21), 5000, 4), "kept");
  EXPECT_EQ(std::filesystem::file_size(path), 1U << 21);
  EXPECT_EQ(text_at(*file_store(path, 4096), 5000, 4), "kept");  // never made shorter
  EXPECT_EQ(std::filesystem::file_size(path), 1U << 21);

  // What others cut off is an error of the read, not data.
  const auto store = file_store(path, 1 << 20);
  std::filesystem::resize_file(path, 100);
  std::string text(200, '?');
  EXPECT_EQ(store->read(0, text.data(), 200), EIO);
}

TEST(LunStore, AFileThatCannotBeOneIsRefusedByName) {
  EXPECT_THAT([] { (void)file_store("/nowhere/at-all", 4096); },
              ThrowsMessage<Error>(HasSubstr("/nowhere/at-all: cannot open")));
  EXPECT_THAT([] { (void)file_store("/dev/null", 4096); },
              ThrowsMessage<Error>(HasSubstr("/dev/null: is not a regular file")));
}

TEST(LunStore, APatternIsItsOwnOffsetAtAnyAlignment) {
  const auto store = pattern_store();
  std::vector<char> whole(64);
  ASSERT_EQ(store->read(0x1000, whole.data(), whole.size()), 0);
  for (std::uint64_t i = 0; i < 8; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, whole.data() + 8 * i, 8);
    EXPECT_EQ(word, 0x1000 + 8 * i);
  }
  std::vector<char> part(20);
  ASSERT_EQ(store->read(0x1003, part.data(), part.size()), 0);
  EXPECT_EQ(std::memcmp(part.data(), whole.data() + 3, part.size()), 0);
  ASSERT_EQ(store->write(0x1000, "forgotten", 9), 0);
  ASSERT_EQ(store->read(0x1003, part.data(), part.size()), 0);
  EXPECT_EQ(std::memcmp(part.data(), whole.data() + 3, part.size()), 0);
  EXPECT_EQ(store->allocate(FALLOC_FL_PUNCH_HOLE, 0, 4096), EOPNOTSUPP);
}

}  // namespace
}  // namespace rigel
