#include "model/array/array_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

auto parsing(const char* text) {
  return [text] { (void)parse_array_config(text, "a.ini"); };
}

TEST(ArrayConfig, EveryPartIsReadFromItsSection) {
  const ArrayConfig config = parse_array_config(
      "; remark\n[link]\nbandwidth = 400M\niops = 90000\nlatency = 100us\n"
      "[controller]\ncores = 4\ntime = 20us\nservice = exponential\n"
      "[cache]\nsize = 96G\npage = 64k\npolicy = fifo\nhit_time = 0.2ms\nwrite_back = no\n"
      "[disks]\ncount = 32\nservice = constant\ntime = 8ms\nunits = 2\n"
      "[raid]\nlevel = 10\nstripe = 256k\n",
      "a.ini");
  EXPECT_EQ(config.name, "a.ini");
  EXPECT_EQ(config.link.bytes_per_second, 400.0 * 1048576);
  EXPECT_EQ(config.link.iops, 90000);
  EXPECT_EQ(config.link.latency_ns, 100'000);
  EXPECT_EQ(config.controller.cores, 4U);
  EXPECT_EQ(config.controller.law, ServiceLaw::kExponential);
  EXPECT_EQ(config.cache.bytes, 96ULL << 30);
  EXPECT_EQ(config.cache.page_bytes, 65536U);
  EXPECT_EQ(config.cache.policy, CachePolicyName::kFifo);
  EXPECT_EQ(config.cache.hit_time_ns, 200'000);
  EXPECT_FALSE(config.cache.write_back);
  EXPECT_EQ(config.disks.count, 32U);
  EXPECT_EQ(config.disks.law, ServiceLaw::kConstant);
  EXPECT_EQ(config.disks.units, 2U);
  EXPECT_EQ(config.raid.level, 10U);
  EXPECT_EQ(config.raid.stripe_bytes, 262144U);
}

TEST(ArrayConfig, WhatIsWrittenReadsBackTheSame) {
  for (const ArrayPreset& preset : array_presets()) {
    const ArrayConfig config = load_array_config(std::string{preset.name});
    EXPECT_EQ(config.name, preset.name);
    EXPECT_FALSE(config.description.empty());
    const std::string text = to_ini(config);
    EXPECT_EQ(to_ini(parse_array_config(text, "again")), text);
  }
}

TEST(ArrayConfig, MessagesNameKeyValueAndRange) {
  EXPECT_THAT(parsing("[disks]\ncount = 0\n"),
              ThrowsMessage<UsageError>(
                  HasSubstr("a.ini: [disks] count = 0: a whole number from 1 to 4096 is wanted")));
  EXPECT_THAT(parsing("[disks]\ntime = 8\n"),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("[disks] time = 8: a time with its unit"),
                                              HasSubstr("1.00 us to 10.0 s"))));
  EXPECT_THAT(
      parsing("[cache]\nsize = many\n"),
      ThrowsMessage<UsageError>(HasSubstr("[cache] size = many: a size from 0 B to 64 TiB")));
  EXPECT_THAT(parsing("[raid]\nlevel = 4\n"),
              ThrowsMessage<UsageError>(HasSubstr("[raid] level = 4: one of 0, 1, 5, 6, 10")));
  EXPECT_THAT(parsing("[cache]\npolicy = arc\n"),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("[cache] policy = arc: one of lru, fifo"),
                                              HasSubstr("rigel model --policy"))));
  EXPECT_THAT(parsing("[disks]\nread_ahead = far\n"),
              ThrowsMessage<UsageError>(HasSubstr("one of track, cylinder, segment, around")));
  EXPECT_THAT(parsing("[link]\niops = nan\n"),
              ThrowsMessage<UsageError>(HasSubstr("[link] iops = nan: a number from 0 to")));
  EXPECT_THAT(parsing("[disks]\nspindles = 4\n"),
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("[disks] has no key 'spindles'"), HasSubstr("count"))));
  EXPECT_THAT(parsing("[disc]\ncount = 4\n"),
              ThrowsMessage<UsageError>(AllOf(HasSubstr("no section [disc]"), HasSubstr("raid"))));
  EXPECT_THAT(parsing("[disks]\ncount\n"), ThrowsMessage<UsageError>(HasSubstr("a.ini: line 2")));
  EXPECT_THAT(parsing("[disks]\ncount = 1\ncount = 2\n"),
              ThrowsMessage<UsageError>(HasSubstr("a.ini: line 3: duplicate key name")));
  EXPECT_THAT(parsing("count = 1\n"), ThrowsMessage<UsageError>(HasSubstr("no section")));
}

TEST(ArrayConfig, PartsThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(parsing("[disks]\ncount = 2\n[raid]\nlevel = 5\n"),
              ThrowsMessage<UsageError>(
                  HasSubstr("[raid] level = 5 needs at least 3 disks, but [disks] count = 2")));
  EXPECT_THAT(parsing("[disks]\ncount = 5\n[raid]\nlevel = 10\n"),
              ThrowsMessage<UsageError>(HasSubstr("an even number")));
  EXPECT_THAT(parsing("[queue]\npolicy = sptf\n"),
              ThrowsMessage<UsageError>(HasSubstr("service = mechanical")));
  EXPECT_THAT(parsing("[cache]\nsize = 4k\npage = 8k\n"),
              ThrowsMessage<UsageError>(HasSubstr("at least one page of 8k")));
  EXPECT_THAT(parsing("[disks]\nbuffer_segments = 2\n"),
              ThrowsMessage<UsageError>(HasSubstr("only disks with service = mechanical")));
  EXPECT_THAT(parsing("[disks]\nservice = mechanical\ntransfer = 1M\nwrite_buffer = yes\n"),
              ThrowsMessage<UsageError>(HasSubstr("needs buffer_segments")));
  EXPECT_THAT(parsing("[disks]\nservice = mechanical\n"),
              ThrowsMessage<UsageError>(HasSubstr("transfer rate")));
  EXPECT_THAT(parsing("[disks]\nservice = mechanical\ntransfer = 1M\nseek_full = 1ms\n"),
              ThrowsMessage<UsageError>(HasSubstr("each at least the one before")));
}

TEST(ArrayConfig, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT([] { (void)load_array_config("no-such-array"); },
              ThrowsMessage<Error>(HasSubstr("no-such-array")));
  EXPECT_THAT([] { (void)load_array_config("/"); }, ThrowsMessage<Error>(HasSubstr("/")));
}

TEST(ArrayConfig, AScaledArrayIsSmallerAndAsFast) {
  const ArrayConfig config = scaled_down(load_array_config("disks32-96g"), 1024);
  EXPECT_EQ(config.cache.bytes, 96ULL << 20);
  EXPECT_EQ(config.disks.bytes, 300ULL << 20);
  EXPECT_EQ(config.cache.page_bytes, 8192U);
  EXPECT_DOUBLE_EQ(disk_reads_per_second(config, 8192), 4000);
  EXPECT_THROW((void)scaled_down(config, 0.5), UsageError);
  EXPECT_THAT([&] { (void)scaled_down(config, 1e6); },
              ThrowsMessage<UsageError>(HasSubstr("no page of the cache")));
}

TEST(ArrayConfig, ThirtyTwoDisksOfEightMillisecondsServeFourThousandReads) {
  const ArrayConfig config = load_array_config("disks32-96g");
  EXPECT_DOUBLE_EQ(disk_reads_per_second(config, 8192), 4000);
}

}  // namespace
}  // namespace rigel
