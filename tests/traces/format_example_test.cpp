// FORMAT.md's worked example is what the writer writes, and says what the reader reads; the sample
// files of version 1 stay readable for ever.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/traces/rgt_fixture.hpp"

namespace rigel {
namespace {

// The trace that FORMAT.md takes apart byte by byte.
std::vector<std::byte> example_trace() {
  TraceTables tables;
  tables.meta.source = "example";
  tables.devices.emplace_back().name = "sda";
  std::vector<IoRecord> records(3);
  records[0] = {.queue_ns = 1'000'000, .offset_bytes = 1 << 20, .length_bytes = 4096};
  records[1] = {.queue_ns = 1'250'000, .offset_bytes = (1 << 20) + 4096, .length_bytes = 4096};
  records[2] = {.queue_ns = 1'300'000, .offset_bytes = 8192, .length_bytes = 8192};
  records[2].op = IoOp::kWrite;
  return write_trace(records, tables, 65536, 3,
                     {Column::kQueue, Column::kOffset, Column::kLength, Column::kOp});
}

// As `hexdump -C` prints it.
std::string hexdump(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t line = 0; line < bytes.size(); line += 16) {
    std::string hex;
    std::string characters;
    for (std::size_t i = line; i < line + 16; ++i) {
      if (i % 8 == 0) hex += ' ';
      if (i >= bytes.size()) {
        hex += "   ";
        continue;
      }
      const auto value = std::to_integer<unsigned>(bytes[i]);
      hex += fmt::format("{:02x} ", value);
      characters += value >= 0x20 && value < 0x7f ? static_cast<char>(value) : '.';
    }
    text += fmt::format("{:08x} {} |{}|\n", line, hex, characters);
  }
  return text + fmt::format("{:08x}\n", bytes.size());
}

std::string text_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  EXPECT_TRUE(file) << "cannot read " << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::byte> sample(const std::string& name) {
  const std::string text = text_of(RIGEL_TEST_FILES "/" + name);
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

TEST(FormatExample, SpecificationShowsWhatIsWritten) {
  const std::string dump = hexdump(example_trace());
  EXPECT_NE(text_of(RIGEL_TEST_FILES "/../../traces/FORMAT.md").find(dump), std::string::npos)
      << "FORMAT.md should show:\n"
      << dump;
}

// The values are those that FORMAT.md derives by hand from the dump.
TEST(FormatExample, FileInTheSpecificationHoldsWhatItSays) {
  const std::vector<std::byte> bytes = sample("example-v1.rgt");
  EXPECT_EQ(bytes, example_trace());
  const ReadTrace back = read_trace(bytes);
  EXPECT_TRUE(back.tables.damage.empty());
  EXPECT_EQ(back.tables.meta.source, "example");
  ASSERT_EQ(back.tables.devices.size(), 1U);
  EXPECT_EQ(back.tables.devices[0].name, "sda");
  ASSERT_EQ(back.records.size(), 3U);
  EXPECT_EQ(back.records[1].queue_ns, 1'250'000);
  EXPECT_EQ(back.records[1].offset_bytes, 1'052'672U);
  EXPECT_EQ(back.records[2].offset_bytes, 8192U);
  EXPECT_EQ(back.records[2].length_bytes, 8192U);
  EXPECT_EQ(back.records[2].op, IoOp::kWrite);
}

// Written when version 1 was settled: whatever becomes of the writer, this must stay readable.
TEST(FormatExample, BusyTraceOfVersionOneIsStillReadable) {
  const ReadTrace back = read_trace(sample("busy-v1.rgt"));
  EXPECT_TRUE(back.tables.damage.empty());
  EXPECT_EQ(back.records, busy_records(1000));
  EXPECT_EQ(back.present, ColumnSet::all());
  EXPECT_EQ(back.tables.meta.extra, busy_tables().meta.extra);
  EXPECT_EQ(back.tables.streams[0].instance, "ORCL");
  EXPECT_EQ(back.tables.devices[1].parent, "sda");
  EXPECT_EQ(back.tables.losses[0].cause, "ring full");
  EXPECT_EQ(back.tables.warnings, busy_tables().warnings);
}

}  // namespace
}  // namespace rigel
