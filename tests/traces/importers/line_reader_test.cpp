#include "traces/importers/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rigel {
namespace {

std::unique_ptr<ByteSource> source(std::string_view text) {
  return memory_source(std::as_bytes(std::span{text}), "input");
}

std::vector<std::string> lines_of(std::string_view text) {
  LineReader reader{source(text)};
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

TEST(LineReader, TakesBothLineEndsAndAMissingLastOne) {
  EXPECT_THAT(lines_of("a\nb\r\n\nc"), testing::ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n"), testing::ElementsAre("a"));
  EXPECT_THAT(lines_of(""), testing::ElementsAre());
}

TEST(LineReader, PassesOverAByteOrderMark) {
  EXPECT_THAT(lines_of("\xef\xbb\xbf"
                       "a\n\xef\xbb\xbf"
                       "b"),
              testing::ElementsAre("a",
                                   "\xef\xbb\xbf"
                                   "b"));
}

TEST(LineReader, CountsLinesAndBytesAcrossManyBuffers) {
  std::string text;
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 100'000; ++i) {
    offsets.push_back(text.size());
    text += "line " + std::to_string(i) + (i % 3 == 0 ? "\r\n" : "\n");
  }
  LineReader reader{source(text)};
  std::string_view line;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    ASSERT_TRUE(reader.next(line));
    ASSERT_EQ(line, "line " + std::to_string(i));
    ASSERT_EQ(reader.line_number(), i + 1);
    ASSERT_EQ(reader.line_offset(), offsets[i]);
  }
  EXPECT_EQ(reader.next_offset(), text.size());
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, ALineWithoutEndIsCutAndPassedOver) {
  const std::string text =
      "a\n" + std::string(1'000'000, 'x') + "\nb\n" + std::string(300'000, 'y');
  LineReader reader{source(text)};
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.overlong());
  EXPECT_EQ(line.size(), LineReader::kLongestLine);
  EXPECT_EQ(line.find_first_not_of('x'), std::string_view::npos);
  ASSERT_TRUE(reader.next(line));
  EXPECT_FALSE(reader.overlong());
  EXPECT_EQ(line, "b");
  EXPECT_EQ(reader.line_number(), 3U);
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.overlong());
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, ALineOfTheLongestLengthIsWhole) {
  for (const std::size_t length : {LineReader::kLongestLine, LineReader::kLongestLine + 1}) {
    const std::string text = std::string(length, 'x') + "\nb\n";
    LineReader reader{source(text)};
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(reader.overlong(), length > LineReader::kLongestLine);
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, "b");
  }
}

}  // namespace
}  // namespace rigel
