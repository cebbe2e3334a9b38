// Files that were cut, overwritten, joined or made up: what is whole is read, the rest is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/traces/rgt_fixture.hpp"
#include "traces/block_reader.hpp"
#include "traces/error.hpp"
#include "traces/file_index.hpp"
#include "traces/importer.hpp"

namespace rigel {
namespace {

using rgt::Block;
using rgt::BlockHeader;
using rgt::BlockType;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kRecords = 40;
constexpr std::size_t kPerBlock = 10;

const Bytes& small_file() {
  static const Bytes kFile = write_trace(busy_records(kRecords), busy_tables(), kPerBlock);
  return kFile;
}

std::vector<Block> blocks_of(const Bytes& bytes) {
  rgt::BlockReader reader{memory_source(bytes, "memory")};
  std::vector<Block> blocks;
  std::vector<Damage> damage;
  Block block;
  while (reader.next(block, damage)) blocks.push_back(block);
  EXPECT_TRUE(damage.empty());
  for (Block& each : blocks) each.payload = {};
  return blocks;
}

Block nth_record_block(const Bytes& bytes, std::size_t wanted) {
  for (const Block& block : blocks_of(bytes)) {
    if (block.header.type == static_cast<std::uint16_t>(BlockType::kRecords) && wanted-- == 0) {
      return block;
    }
  }
  ADD_FAILURE() << "no such block";
  return {};
}

// Whole blocks of records, in order, each as it was written.
void expect_some_of_the_original(const ReadTrace& back) {
  const std::vector<IoRecord> records = busy_records(kRecords);
  ASSERT_EQ(back.records.size() % kPerBlock, 0U);
  std::size_t from = 0;
  for (std::size_t i = 0; i < back.records.size(); i += kPerBlock) {
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(from);
    const auto found = std::find_if(begin, records.end(), [&](const IoRecord& record) {
      return record.queue_ns == back.records[i].queue_ns;
    });
    ASSERT_NE(found, records.end());
    from = static_cast<std::size_t>(found - records.begin());
    for (std::size_t k = 0; k < kPerBlock; ++k, ++from) {
      IoRecord read = back.records[i + k];
      // The tables that name them may be what was damaged.
      read.device = records[from].device;
      read.stream = records[from].stream;
      ASSERT_EQ(read, records[from]);
      ASSERT_LT(back.records[i + k].device, back.tables.devices.size());
      ASSERT_LT(back.records[i + k].stream, back.tables.streams.size());
    }
  }
}

std::uint64_t records_lost(const ReadTrace& back) {
  std::uint64_t lost = 0;
  for (const Damage& damage : back.tables.damage) lost += damage.records_lost;
  return lost;
}

TEST(TraceDamage, FileCutAtAnyByteIsReadUpToTheCut) {
  const Bytes& file = small_file();
  const std::vector<Block> blocks = blocks_of(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut{file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
    std::size_t whole_records = 0;
    std::uint64_t whole_bytes = 0;
    for (const Block& block : blocks) {
      if (block.end_bytes() > size) break;
      whole_records += block.header.records;
      whole_bytes = block.end_bytes();
    }
    if (whole_bytes == 0) continue;
    const ReadTrace back = read_trace(cut);
    ASSERT_EQ(back.records.size(), whole_records) << size;
    ASSERT_EQ(back.tables.damage.size(), 1U) << size;
    ASSERT_EQ(back.tables.damage[0].offset_bytes, whole_bytes) << size;
    ASSERT_EQ(back.tables.damage[0].length_bytes, size - whole_bytes) << size;
    expect_some_of_the_original(back);
  }
}

// Also where no format is named: what is left must not pass for one of the formats without a magic.
TEST(TraceDamage, FileCutInsideItsFirstBlockIsStillThisFormatAndSaysWhereItIsCut) {
  const std::uint64_t first_block_bytes = blocks_of(small_file()).front().end_bytes();
  for (std::size_t size = 1; size < first_block_bytes; ++size) {
    SCOPED_TRACE(size);
    std::vector<std::unique_ptr<ByteSource>> inputs;
    inputs.push_back(memory_source(std::span{small_file()}.first(size), "cut.dat"));
    EXPECT_THAT([&] { static_cast<void>(open_inputs(std::move(inputs), {})); },
                ThrowsMessage<Error>(AllOf(HasSubstr("cut.dat: at byte 0: the file ends "),
                                           HasSubstr(std::to_string(size) + " bytes"))));
  }
}

TEST(TraceDamage, TransferAsTextIsRecognisedAndRefused) {
  Bytes bytes = small_file();
  bytes.erase(std::remove(bytes.begin(), bytes.end(), std::byte{0x0d}), bytes.end());
  std::vector<std::unique_ptr<ByteSource>> inputs;
  inputs.push_back(memory_source(bytes, "text.dat"));
  EXPECT_THAT([&] { static_cast<void>(open_inputs(std::move(inputs), {})); },
              ThrowsMessage<Error>(HasSubstr("text.dat: at byte 0: no block header")));
}

TEST(TraceDamage, AnyByteFlippedIsNamedAndCostsOneBlock) {
  const Bytes& file = small_file();
  const std::vector<Block> blocks = blocks_of(file);
  for (std::size_t at = 0; at < file.size(); ++at) {
    constexpr std::array kPatterns{std::byte{0x01}, std::byte{0x80}, std::byte{0xff}};
    Bytes damaged = file;
    damaged[at] ^= kPatterns[at % kPatterns.size()];
    const ReadTrace back = read_trace(damaged);
    const auto hit = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const Block& block) { return at < block.end_bytes(); });
    ASSERT_EQ(back.tables.damage.size(), 1U) << at;
    ASSERT_EQ(back.tables.damage[0].offset_bytes, hit->offset_bytes) << at;
    ASSERT_EQ(back.tables.damage[0].length_bytes, hit->end_bytes() - hit->offset_bytes) << at;
    ASSERT_EQ(back.tables.damage[0].records_lost, hit->header.records) << at;
    ASSERT_EQ(back.records.size(), kRecords - hit->header.records) << at;
    expect_some_of_the_original(back);
  }
}

TEST(TraceDamage, HoleOfAnyPlaceCostsTheBlocksItTouches) {
  const Bytes& file = small_file();
  for (std::size_t from = 0; from + 300 < file.size(); from += 7) {
    Bytes damaged = file;
    damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(from),
                  damaged.begin() + static_cast<std::ptrdiff_t>(from + 300));
    const ReadTrace back = read_trace(damaged);
    ASSERT_FALSE(back.tables.damage.empty()) << from;
    ASSERT_EQ(back.records.size() + records_lost(back), kRecords) << from;
    expect_some_of_the_original(back);
  }
}

TEST(TraceDamage, ZeroedPagesCostTheBlocksTheyTouch) {
  const Bytes& file = small_file();
  for (std::size_t from = 0; from < file.size(); from += 64) {
    Bytes damaged = file;
    std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(from),
              damaged.begin() + static_cast<std::ptrdiff_t>(std::min(from + 512, file.size())),
              std::byte{});
    const ReadTrace back = read_trace(damaged);
    ASSERT_FALSE(back.tables.damage.empty()) << from;
    if (from + 512 < blocks_of(file).back().offset_bytes) {
      ASSERT_EQ(back.records.size() + records_lost(back), kRecords) << from;
    }
    expect_some_of_the_original(back);
  }
}

TEST(TraceDamage, GarbageBetweenBlocksCostsNothing) {
  const Bytes& file = small_file();
  const Block block = nth_record_block(file, 2);
  Bytes damaged = file;
  damaged.insert(damaged.begin() + static_cast<std::ptrdiff_t>(block.offset_bytes), 1000,
                 std::byte{0x89});
  const ReadTrace back = read_trace(damaged);
  EXPECT_EQ(back.records, busy_records(kRecords));
  ASSERT_GE(back.tables.damage.size(), 1U);
  EXPECT_EQ(back.tables.damage[0].offset_bytes, block.offset_bytes);
  EXPECT_EQ(back.tables.damage[0].length_bytes, 1000U);
  EXPECT_EQ(records_lost(back), 0U);
}

TEST(TraceDamage, MissingBlockIsNoticedThoughTheRestFitsTogether) {
  const Bytes& file = small_file();
  const Block block = nth_record_block(file, 1);
  Bytes damaged = file;
  damaged.erase(damaged.begin() + static_cast<std::ptrdiff_t>(block.offset_bytes),
                damaged.begin() + static_cast<std::ptrdiff_t>(block.end_bytes()));
  const ReadTrace back = read_trace(damaged);
  EXPECT_EQ(back.records.size(), kRecords - kPerBlock);
  ASSERT_EQ(back.tables.damage.size(), 1U);
  EXPECT_EQ(back.tables.damage[0].offset_bytes, block.offset_bytes);
  EXPECT_EQ(back.tables.damage[0].length_bytes, 0U);
  EXPECT_EQ(back.tables.damage[0].records_lost, kPerBlock);
}

TEST(TraceDamage, RepeatedBlockIsNotReadTwice) {
  const Bytes& file = small_file();
  const Block block = nth_record_block(file, 1);
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(block.offset_bytes);
  const auto end = file.begin() + static_cast<std::ptrdiff_t>(block.end_bytes());
  Bytes damaged{file.begin(), end};
  damaged.insert(damaged.end(), begin, end);
  damaged.insert(damaged.end(), end, file.end());
  const ReadTrace back = read_trace(damaged);
  EXPECT_EQ(back.records, busy_records(kRecords));
  ASSERT_EQ(back.tables.damage.size(), 1U);
  EXPECT_EQ(back.tables.damage[0].offset_bytes, block.end_bytes());
  EXPECT_THAT(back.tables.damage[0].reason, HasSubstr("out of order"));
}

TEST(TraceDamage, FilesThatAreNoTraceAreRefusedByName) {
  const auto refuse = [](const Bytes& bytes, const char* why) {
    EXPECT_THAT([&] { static_cast<void>(read_trace(bytes)); },
                ThrowsMessage<Error>(HasSubstr(std::string{"memory: "} + why)));
  };
  constexpr const char* kNone = "at byte 0: no block header";
  refuse({}, "is empty");
  refuse(Bytes(100'000), kNone);
  refuse(Bytes(100'000, std::byte{0x89}), kNone);
  refuse(Bytes(10, std::byte{0x89}), kNone);
  Bytes magics;
  for (int i = 0; i < 10'000; ++i) {
    for (const unsigned char each : rgt::kMagic) magics.push_back(std::byte{each});
  }
  refuse(magics, kNone);
}

TEST(TraceDamage, ConcatenatedTracesAreReadAsOne) {
  TraceTables later = busy_tables();
  later.meta.start_wall_ns += 5'000'000'000;
  later.devices.erase(later.devices.begin());
  std::vector<IoRecord> records = busy_records(20);
  for (IoRecord& record : records) record.device = 0;
  Bytes file = small_file();
  const Bytes second = write_trace(records, later, kPerBlock);
  file.insert(file.end(), second.begin(), second.end());

  const ReadTrace back = read_trace(file);
  EXPECT_TRUE(back.tables.damage.empty());
  ASSERT_EQ(back.records.size(), kRecords + 20);
  const IoRecord& first_of_second = back.records[kRecords];
  EXPECT_EQ(first_of_second.queue_ns, records[0].queue_ns + 5'000'000'000);
  EXPECT_EQ(first_of_second.issue_ns, records[0].issue_ns + 5'000'000'000);
  ASSERT_EQ(back.tables.devices.size(), 3U);
  EXPECT_EQ(first_of_second.device, 2U);
  EXPECT_EQ(back.tables.devices[2].name, "sda1");
  EXPECT_EQ(back.tables.meta.start_wall_ns, busy_tables().meta.start_wall_ns);
  ASSERT_EQ(back.tables.losses.size(), 2U);
  EXPECT_EQ(back.tables.losses[1].to_ns, later.losses[0].to_ns + 5'000'000'000);

  const TraceReader reader{memory_source(file, "memory")};
  ASSERT_TRUE(reader.totals().has_value());
  EXPECT_EQ(reader.totals()->records, kRecords + 20);
}

TEST(TraceDamage, TheSameTraceTwiceIsTwoTraces) {
  Bytes file = small_file();
  file.insert(file.end(), small_file().begin(), small_file().end());
  const ReadTrace back = read_trace(file);
  EXPECT_TRUE(back.tables.damage.empty());
  EXPECT_EQ(back.records.size(), 2 * kRecords);
  // Also when the first one was never finished.
  Bytes unfinished{small_file().begin(),
                   small_file().begin() +
                       static_cast<std::ptrdiff_t>(blocks_of(small_file()).back().offset_bytes)};
  const std::size_t joint = unfinished.size();
  unfinished.insert(unfinished.end(), small_file().begin(), small_file().end());
  const ReadTrace again = read_trace(unfinished);
  EXPECT_EQ(again.records.size(), 2 * kRecords);
  ASSERT_EQ(again.tables.damage.size(), 1U);
  EXPECT_EQ(again.tables.damage[0].offset_bytes, joint);
  EXPECT_EQ(again.tables.damage[0].records_lost, 0U);
}

// A block made by hand, as a later version or a forger would.
Bytes made_block(BlockHeader header, const Bytes& payload) {
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_checksum = rgt::checksum(payload);
  const auto sealed = rgt::seal(header);
  Bytes block{sealed.begin(), sealed.end()};
  block.insert(block.end(), payload.begin(), payload.end());
  return block;
}

Bytes with_block_before_records(const Bytes& block) {
  Bytes file = small_file();
  const auto at = static_cast<std::ptrdiff_t>(nth_record_block(file, 0).offset_bytes);
  file.insert(file.begin() + at, block.begin(), block.end());
  return file;
}

BlockHeader header_of_small_file() {
  BlockHeader header;
  header.trace_id = blocks_of(small_file())[0].header.trace_id;
  return header;
}

TEST(TraceFormat, BlocksOfUnknownTypeArePassedOver) {
  BlockHeader header = header_of_small_file();
  header.type = 4711;
  header.decoded_bytes = 3;
  // Not in the index, which is the only thing to complain of.
  const ReadTrace back = read_trace(with_block_before_records(made_block(header, Bytes(3))));
  EXPECT_EQ(back.records, busy_records(kRecords));
  ASSERT_EQ(back.tables.damage.size(), 1U);
  EXPECT_THAT(back.tables.damage[0].reason, HasSubstr("index that does not match"));
}

TEST(TraceFormat, BlocksThatUseReservedFieldsAreNotTrusted) {
  BlockHeader header = header_of_small_file();
  header.type = static_cast<std::uint16_t>(BlockType::kWarnings);
  header.reserved = 1;
  const ReadTrace back = read_trace(with_block_before_records(made_block(header, Bytes(3))));
  EXPECT_EQ(back.records, busy_records(kRecords));
  ASSERT_EQ(back.tables.damage.size(), 1U);
  EXPECT_THAT(back.tables.damage[0].reason, HasSubstr("reserved"));
}

TEST(TraceFormat, NewerVersionsAreRefusedByNumber) {
  BlockHeader header = header_of_small_file();
  header.version = 2;
  EXPECT_THAT(
      [&] { static_cast<void>(read_trace(made_block(header, {}))); },
      ThrowsMessage<Error>(HasSubstr("byte 0: written by a newer rigel (format version 2")));
}

TEST(TraceFormat, LongerHeadersOfLaterVersionsAreUnderstood) {
  const Bytes& file = small_file();
  Bytes longer;
  for (const Block& block : blocks_of(file)) {
    if (block.header.type == static_cast<std::uint16_t>(BlockType::kFooter)) break;
    BlockHeader header = block.header;
    header.header_bytes = rgt::kHeaderBytes + 16;
    Bytes bytes(header.header_bytes);
    std::memcpy(bytes.data(), &header, rgt::kHeaderBytes - 8);
    const std::uint64_t sum = rgt::checksum(std::span{bytes}.first(bytes.size() - 8));
    std::memcpy(bytes.data() + bytes.size() - 8, &sum, sizeof sum);
    const auto payload =
        file.begin() + static_cast<std::ptrdiff_t>(block.offset_bytes) + rgt::kHeaderBytes;
    longer.insert(longer.end(), bytes.begin(), bytes.end());
    longer.insert(longer.end(), payload, payload + block.header.payload_bytes);
  }
  EXPECT_EQ(read_trace(longer).records, busy_records(kRecords));
}

TEST(TraceFormat, RecordBlocksThatClaimTooMuchAreRefusedBeforeMemoryIs) {
  BlockHeader header = header_of_small_file();
  header.type = static_cast<std::uint16_t>(BlockType::kRecords);
  header.records = rgt::kMaxRecordsPerBlock;
  header.decoded_bytes = 8;
  // One column, eight planes of a million rows that are said to be eight bytes.
  Bytes payload(8 + 24);
  payload[0] = std::byte{1};
  payload[2] = std::byte{24};
  payload[8] = std::byte{static_cast<unsigned char>(Column::kOffset)};
  payload[10] = std::byte{8};
  const ReadTrace back = read_trace(made_block(header, payload));
  EXPECT_TRUE(back.records.empty());
  ASSERT_GE(back.tables.damage.size(), 1U);
  EXPECT_THAT(back.tables.damage[0].reason, HasSubstr("do not add up"));
  EXPECT_EQ(back.tables.damage[0].records_lost, rgt::kMaxRecordsPerBlock);
}

TEST(TraceFormat, TablesThatAreNoTablesAreNamed) {
  for (const char* text : {"", "{", "[]", "{\"first\":0}", "{\"first\":-1,\"entries\":[]}",
                           "{\"first\":0,\"entries\":[{\"name\":7}]}",
                           "{\"first\":0,\"entries\":[{\"major\":4294967296}]}",
                           "{\"first\":0,\"entries\":[{\"size_bytes\":1.5}]}",
                           "{\"first\":0,\"entries\":[3]}", "{\"first\":0,\"entries\":{}}"}) {
    BlockHeader header = header_of_small_file();
    header.type = static_cast<std::uint16_t>(BlockType::kDevices);
    const auto characters = std::as_bytes(std::span{text, std::strlen(text)});
    const Bytes payload{characters.begin(), characters.end()};
    header.decoded_bytes = static_cast<std::uint32_t>(payload.size());
    const ReadTrace back = read_trace(with_block_before_records(made_block(header, payload)));
    EXPECT_EQ(back.records, busy_records(kRecords)) << text;
    ASSERT_GE(back.tables.damage.size(), 1U) << text;
    EXPECT_THAT(back.tables.damage[0].reason, HasSubstr("table")) << text;
  }
}

TEST(TraceFormat, ForgedNestOfHeadersTakesNoTimeSquared) {
  BlockHeader header = header_of_small_file();
  header.type = static_cast<std::uint16_t>(BlockType::kRecords);
  header.payload_bytes = 40'000 * rgt::kHeaderBytes / 2;
  const auto sealed = rgt::seal(header);
  Bytes file = small_file();
  for (int i = 0; i < 40'000; ++i) file.insert(file.end(), sealed.begin(), sealed.end());
  EXPECT_EQ(read_trace(file).records, busy_records(kRecords));
}

}  // namespace
}  // namespace rigel
