#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "tests/scratch_folder.hpp"
#include "traces/byte_sink.hpp"
#include "traces/byte_source.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text.data(), text.size()});
}

std::string read_all(ByteSource& source, std::size_t piece) {
  std::string text;
  std::vector<std::byte> buffer(piece);
  while (const std::size_t got = source.read(buffer)) {
    text.append(reinterpret_cast<const char*>(buffer.data()), got);
  }
  return text;
}

class ByteStream : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  ScratchFolder folder_;
};

TEST_F(ByteStream, FileHoldsWhatWasWrittenAndNothingOfItsPast) {
  std::ofstream{path("a")} << "something longer that was there before";
  const auto sink = create_file(path("a"));
  sink->write(bytes_of("left "));
  sink->write(bytes_of("right"));
  // Before close(): a crash must not lose it.
  EXPECT_EQ(read_all(*open_file(path("a")), 3), "left right");
  sink->close();
  EXPECT_EQ(read_all(*open_file(path("a")), 100), "left right");
}

TEST_F(ByteStream, ReadFillsTheBufferThoughAPipeGivesLess) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "ab", 2), 2);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  const auto source = open_file("-");
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(ends[0]);
  ASSERT_EQ(write(ends[1], "cde", 3), 3);
  close(ends[1]);
  EXPECT_EQ(source->name(), "standard input");
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(source->read(buffer), 4U);
  EXPECT_EQ(std::memcmp(buffer.data(), "abcd", 4), 0);
  EXPECT_EQ(source->read(buffer), 1U);
  EXPECT_EQ(source->read(buffer), 0U);
}

TEST_F(ByteStream, MemorySourceAndSinkAreEachOthersInverse) {
  std::vector<std::byte> bytes;
  memory_sink(bytes, "memory")->write(bytes_of("0123456789"));
  EXPECT_EQ(read_all(*memory_source(bytes, "memory"), 3), "0123456789");
  EXPECT_EQ(read_all(*memory_source({}, "memory"), 3), "");
}

TEST_F(ByteStream, WhatCannotBeOpenedIsNamedWithItsCause) {
  EXPECT_THAT([&] { static_cast<void>(open_file(path("none"))); },
              ThrowsMessage<Error>(HasSubstr("none: cannot open: No such file")));
  EXPECT_THAT([] { static_cast<void>(open_file("/")); },
              ThrowsMessage<Error>(HasSubstr("/: cannot read: Is a directory")));
  EXPECT_THAT([] { static_cast<void>(create_file("/")); },
              ThrowsMessage<Error>(HasSubstr("/: cannot create: Is a directory")));
  EXPECT_THAT([&] { static_cast<void>(create_file(path("none/a"))); },
              ThrowsMessage<Error>(HasSubstr("none/a: cannot create: No such file")));
}

TEST_F(ByteStream, FullDiskIsReportedWithTheOffsetReached) {
  const auto sink = create_file("/dev/full");
  EXPECT_THAT([&] { sink->write(bytes_of("x")); },
              ThrowsMessage<Error>("/dev/full: cannot write at byte 0: No space left on device"));
}

}  // namespace
}  // namespace rigel
