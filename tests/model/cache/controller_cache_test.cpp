#include "model/cache/controller_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "tests/model/cache/memory_trace.hpp"

namespace rigel::test {
namespace {

constexpr std::uint32_t kPage = 4096;

struct Outcome {
  AccessCounts hits;
  AccessCounts total;
  ControllerCounts counts;
};

Outcome run(const std::vector<IoRecord>& records, std::uint32_t segments,
            const ControllerOptions& options, std::string_view policy = "lru",
            std::uint64_t warm_up_requests = 0) {
  const auto cache = find_policy(policy).make_controller(segments, options);
  for_each_block(records,
                 {.page_bytes = kPage,
                  .warm_up_requests = warm_up_requests,
                  .with_times = options.destage_age_ns != 0},
                 [&](const PageBlock& block) { cache->add(block); });
  return {cache->tally().hits(), cache->tally().total(), cache->counts()};
}

IoRecord read_page(std::uint64_t page) {
  return read_of(page * kPage, kPage);
}
IoRecord write_page(std::uint64_t page) {
  return write_of(page * kPage, kPage);
}
IoRecord at(IoRecord record, std::int64_t time_ns) {
  record.queue_ns = time_ns;
  return record;
}

TEST(ControllerCache, WritesThroughEveryPage) {
  const Outcome got =
      run({write_page(1), write_page(1), read_page(1), write_of(0, 3 * kPage)}, 8, {});
  EXPECT_EQ(got.counts.disk_writes, 5U);
  EXPECT_EQ(got.counts.overwrites, 0U);
  EXPECT_EQ(got.counts.disk_reads, 0U);
  EXPECT_EQ(got.hits.pages[0], 1);
  EXPECT_EQ(got.counts.dirty_at_end, 0U);
}

// Four pages, of which two may be dirty and one is left by destaging.
TEST(ControllerCache, DestagesTheLongestDirtyBetweenTheWatermarks) {
  const Outcome got =
      run({write_page(1), write_page(2), write_page(1), write_page(3), read_page(3), read_page(1)},
          4, {.write_back = true, .dirty_high = 0.5, .dirty_low = 0.25});
  EXPECT_EQ(got.counts.overwrites, 1U);             // of page 1
  EXPECT_EQ(got.counts.destaged_by_watermark, 2U);  // 1 and 2, when 3 is the third
  EXPECT_EQ(got.counts.disk_writes, 2U);
  EXPECT_EQ(got.counts.dirty_read_hits, 1U);  // of page 3; 1 is clean and still there
  EXPECT_EQ(got.hits.pages[0], 2);
  EXPECT_EQ(got.counts.dirty_at_end, 1U);
}

TEST(ControllerCache, DestagesByAgeSinceTheFirstWrite) {
  const ControllerOptions options{
      .write_back = true, .dirty_high = 1, .dirty_low = 1, .destage_age_ns = 10};
  std::vector<IoRecord> records{at(write_page(1), 100), at(write_page(2), 105),
                                at(write_page(1), 108), at(read_page(9), 109)};
  EXPECT_EQ(run(records, 8, options).counts.destaged_by_age, 0U);
  records.push_back(at(read_page(9), 110));
  EXPECT_EQ(run(records, 8, options).counts.destaged_by_age, 1U);
  records.push_back(at(read_page(9), 500));
  EXPECT_EQ(run(records, 8, options).counts.destaged_by_age, 2U);
}

TEST(ControllerCache, DestagesWhatIsEvicted) {
  const Outcome got = run({write_page(1), read_page(2), read_page(1)}, 1,
                          {.write_back = true, .dirty_high = 1, .dirty_low = 1});
  EXPECT_EQ(got.counts.destaged_by_eviction, 1U);
  EXPECT_EQ(got.counts.disk_reads, 2U);
  EXPECT_EQ(got.counts.dirty_read_hits, 0U);
}

// Uniform writes to N pages that all fit, D of them dirty at most: dirty are the D that were clean
// last and written since, so a write meets one with probability D / N, as in a FIFO of D pages.
TEST(ControllerCache, UniformWritesMeetDirtyPagesAsOftenAsTheWatermarkSays) {
  constexpr std::uint32_t kPages = 1000;
  constexpr int kWrites = 200'000;
  std::mt19937 random{3};
  std::vector<IoRecord> records;
  for (int i = 0; i < kWrites; ++i) records.push_back(write_page(random() % kPages));
  for (const double share : {0.1, 0.3, 0.8}) {
    const Outcome got =
        run(records, kPages, {.write_back = true, .dirty_high = share, .dirty_low = share});
    EXPECT_NEAR(static_cast<double>(got.counts.overwrites) / kWrites, share, 0.01);
  }
}

// The same destaged by age T: a page is dirty for T after a write that found it clean and meets
// T / N more writes meanwhile, one write being made each ns: a share of (T/N) / (1 + T/N).
TEST(ControllerCache, UniformWritesMeetDirtyPagesAsOftenAsTheAgeSays) {
  constexpr std::uint32_t kPages = 1000;
  constexpr int kWrites = 200'000;
  std::mt19937 random{4};
  std::vector<IoRecord> records;
  for (int i = 0; i < kWrites; ++i) records.push_back(at(write_page(random() % kPages), i));
  for (const double ratio : {0.5, 1.0, 3.0}) {
    const Outcome got = run(records, kPages,
                            {.write_back = true,
                             .dirty_high = 1,
                             .dirty_low = 1,
                             .destage_age_ns = static_cast<std::int64_t>(ratio * kPages)});
    EXPECT_NEAR(static_cast<double>(got.counts.overwrites) / kWrites, ratio / (1 + ratio), 0.01);
  }
}

TEST(ControllerCache, ReadsAheadOfAStreamAndCountsTheWaste) {
  const std::vector<IoRecord> stream{read_page(0), read_page(1), read_page(2), read_page(3)};
  const Outcome got = run(stream, 8, {.read_ahead_pages = 4});
  EXPECT_EQ(got.hits.pages[0], 1);  // page 3
  EXPECT_EQ(got.counts.disk_reads, 3U);
  EXPECT_EQ(got.counts.read_ahead, 5U);  // 3 to 6, then 7
  EXPECT_EQ(got.counts.read_ahead_used, 1U);
  EXPECT_EQ(got.counts.read_ahead_wasted, 0U);
  EXPECT_EQ(got.counts.read_ahead_at_end, 4U);

  std::vector<IoRecord> abandoned = stream;
  for (std::uint64_t page = 0; page < 8; ++page) abandoned.push_back(read_page(1000 + 10 * page));
  EXPECT_EQ(run(abandoned, 8, {.read_ahead_pages = 4}).counts.read_ahead_wasted, 4U);
  std::vector<IoRecord> overwritten = stream;
  overwritten.push_back(write_page(5));
  EXPECT_EQ(run(overwritten, 8, {.read_ahead_pages = 4}).counts.read_ahead_wasted, 1U);
}

TEST(ControllerCache, WritesAreNoStream) {
  const Outcome got =
      run({write_page(0), write_page(1), write_page(2), write_page(3)}, 8, {.read_ahead_pages = 4});
  EXPECT_EQ(got.counts.read_ahead, 0U);
}

TEST(ControllerCache, HoldsInASegmentOnlyWhatWasAskedFor) {
  const ControllerOptions options{.pages_per_segment = 4};
  const Outcome got =
      run({read_page(0), read_page(1), read_page(0), read_page(4), read_page(0)}, 1, options);
  EXPECT_EQ(got.hits.pages[0], 1);  // page 0 the second time; page 4 takes the only segment
  EXPECT_EQ(got.counts.disk_reads, 4U);
}

// Requests for whole segments see a cache of pages as large as those.
TEST(ControllerCache, SegmentsThatAreFilledAtOnceAreLargerPages) {
  std::mt19937 random{5};
  std::vector<IoRecord> whole;
  std::vector<IoRecord> pages;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t segment = std::min(random() % 100, random() % 100);
    whole.push_back(read_of(segment * 16 * kPage, 16 * kPage));
    pages.push_back(read_page(segment));
  }
  for (const char* policy : {"lru", "arc", "s3fifo"}) {
    const Outcome segments = run(whole, 30, {.pages_per_segment = 16}, policy);
    const Outcome plain = run(pages, 30, {}, policy);
    EXPECT_EQ(segments.hits.requests[0], plain.hits.requests[0]) << policy;
  }
}

// A loop that does not fit the first cache never hits there, and always in a flash that holds it.
TEST(ControllerCache, FlashServesALoopThatMemoryCannotHold) {
  std::vector<IoRecord> records;
  for (std::uint64_t i = 0; i < 100; ++i) records.push_back(read_page(i % 10));
  const Outcome got = run(records, 4, {.flash_segments = 10});
  EXPECT_EQ(got.hits.pages[0], 0);
  EXPECT_EQ(got.counts.disk_reads, 10U);
  EXPECT_EQ(got.counts.flash_hits, 90U);
}

// Two tiers as two lists in order of use, step by step.
TEST(ControllerCache, TwoTiersAgreeWithTwoLists) {
  std::mt19937 random{6};
  std::vector<IoRecord> records;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t page = std::min({random() % 300, random() % 300, random() % 300});
    records.push_back(random() % 4 == 0 ? write_page(page) : read_page(page));
  }
  constexpr std::size_t kMemory = 20;
  constexpr std::size_t kFlash = 60;
  std::list<std::uint64_t> memory;
  std::list<std::uint64_t> flash;
  std::uint64_t memory_hits = 0;
  std::uint64_t flash_hits = 0;
  std::uint64_t disk_reads = 0;
  const auto touch = [](std::list<std::uint64_t>& tier, std::uint64_t page) {
    const auto found = std::find(tier.begin(), tier.end(), page);
    const bool hit = found != tier.end();
    if (hit) tier.erase(found);
    tier.push_front(page);
    return hit;
  };
  for (const IoRecord& record : records) {
    const std::uint64_t page = record.offset_bytes / kPage;
    const bool hit = touch(memory, page);
    if (memory.size() > kMemory) {
      touch(flash, memory.back());
      memory.pop_back();
      if (flash.size() > kFlash) flash.pop_back();
    }
    if (hit) {
      ++memory_hits;
    } else if (record.op == IoOp::kRead) {
      const bool there = std::find(flash.begin(), flash.end(), page) != flash.end();
      ++(there ? flash_hits : disk_reads);
      if (there) touch(flash, page);
    }
  }
  const Outcome got = run(records, kMemory, {.flash_segments = kFlash});
  EXPECT_EQ(got.hits.all_pages(), static_cast<double>(memory_hits));
  EXPECT_EQ(got.counts.flash_hits, flash_hits);
  EXPECT_EQ(got.counts.disk_reads, disk_reads);
}

TEST(ControllerCache, CountsNothingOfTheWarmUp) {
  const Outcome got = run({write_page(1), write_page(2), write_page(1), read_page(3)}, 8,
                          {.write_back = true}, "lru", 2);
  EXPECT_EQ(got.total.all_pages(), 2);
  EXPECT_EQ(got.counts.overwrites, 1U);
  EXPECT_EQ(got.counts.disk_reads, 1U);
}

class EveryControllerPolicy : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryControllerPolicy, HitsAsThePlainCacheWhenTheControllerAddsNothing) {
  const std::unique_ptr<CacheSimulator> plain = find_policy(GetParam()).make(500);
  for_each_block(real_trace("lirs_sprite"), {.page_bytes = kPage},
                 [&](const PageBlock& block) { plain->add(block); });
  const Outcome got = run(real_trace("lirs_sprite"), 500, {}, GetParam());
  EXPECT_EQ(got.hits.all_pages(), plain->tally().hits().all_pages());
}

// Every read is served by one of three, every write reaches the disks, is spared them or is still
// to come, and every page read ahead has one fate.
TEST_P(EveryControllerPolicy, LosesSightOfNoPage) {
  const std::vector<IoRecord>& trace = real_trace("cloudPhysicsIO");
  const std::vector<IoRecord> records{trace.begin(), trace.begin() + 20'000};
  const ControllerOptions options{.pages_per_segment = 16,
                                  .write_back = true,
                                  .dirty_high = 0.4,
                                  .dirty_low = 0.2,
                                  .destage_age_ns = 1'000'000'000,
                                  .read_ahead_pages = 32,
                                  .flash_segments = 2000};
  const Outcome got = run(records, 300, options, GetParam());
  const ControllerCounts& counts = got.counts;
  EXPECT_EQ(got.hits.pages[0] + static_cast<double>(counts.flash_hits + counts.disk_reads),
            got.total.pages[0]);
  EXPECT_EQ(static_cast<double>(counts.disk_writes + counts.overwrites + counts.dirty_at_end),
            got.total.pages[1]);
  EXPECT_EQ(counts.destaged_by_age + counts.destaged_by_watermark + counts.destaged_by_eviction,
            counts.disk_writes);
  EXPECT_EQ(counts.read_ahead_used + counts.read_ahead_wasted + counts.read_ahead_at_end,
            counts.read_ahead);
  EXPECT_LE(counts.dirty_at_end, 0.4 * 300 * 16);
  for (const std::uint64_t count : {counts.flash_hits, counts.read_ahead_used, counts.overwrites,
                                    counts.destaged_by_age, counts.dirty_read_hits}) {
    EXPECT_GT(count, 0U);
  }
}

std::vector<std::string_view> controller_policies() {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policies()) {
    if (entry.make_controller != nullptr) names.push_back(entry.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryControllerPolicy, testing::ValuesIn(controller_policies()),
                         [](const auto& test) { return std::string{test.param}; });

}  // namespace
}  // namespace rigel::test
