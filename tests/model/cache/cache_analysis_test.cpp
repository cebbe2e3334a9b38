#include "model/cache/cache_analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/cache/cache_simulator.hpp"
#include "tests/model/cache/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel::test {
namespace {

constexpr std::uint64_t kPage = 4096;

CacheAnswer analyze(const std::vector<IoRecord>& records, const CacheQuestion& question) {
  MemoryTrace trace{records};
  return analyze_cache(trace, question);
}

std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policies()) names.emplace_back(entry.name);
  return names;
}

TEST(AnalyzeCache, AnswersForEveryPolicyAtEverySize) {
  const CacheAnswer answer =
      analyze(real_trace("lirs_sprite"), {.stream = {.page_bytes = kPage},
                                          .cache_bytes = {400 * kPage, 1000 * kPage},
                                          .policies = all_policies()});
  ASSERT_EQ(answer.results.size(), 2 * policies().size());
  for (const char* policy : {"lru", "fifo", "arc", "2q"}) {
    for (const ReferenceHitRatio& row : reference_hit_ratios(policy)) {
      if (row.trace != "lirs_sprite") continue;
      for (const CacheResult& result : answer.results) {
        if (result.policy != policy || result.cache_bytes != row.capacity_pages * kPage) continue;
        EXPECT_NEAR(result.ratios.mean.page, row.hit_ratio, 0.00005) << policy;
        EXPECT_EQ(result.ratios.low, result.ratios.high);
      }
    }
  }
  EXPECT_EQ(answer.distinct_pages, 7075);
  EXPECT_EQ(answer.total.all_pages(), 133'996);
}

TEST(AnalyzeCache, DoesNotDependOnThreads) {
  for (const bool sampled : {false, true}) {
    CacheQuestion question{.stream = {.page_bytes = kPage},
                           .cache_bytes = {100 * kPage, 800 * kPage},
                           .policies = all_policies()};
    if (sampled) question.sampling = {.rate = 0.3, .samples = 3, .exact_below_pages = 50};
    const CacheAnswer one = analyze(real_trace("lirs_multi1"), question);
    question.threads = 4;
    const CacheAnswer four = analyze(real_trace("lirs_multi1"), question);
    ASSERT_EQ(one.results.size(), four.results.size());
    for (std::size_t i = 0; i < one.results.size(); ++i) {
      EXPECT_EQ(one.results[i].ratios.mean.page, four.results[i].ratios.mean.page);
      EXPECT_EQ(one.results[i].ratios.low, four.results[i].ratios.low);
    }
  }
}

TEST(AnalyzeCache, MiniatureCachesAgreeWithFullOnes) {
  CacheQuestion question{.stream = {.page_bytes = kPage},
                         .cache_bytes = {26921 * kPage, 134605 * kPage},
                         .policies = {"lru", "fifo", "clock", "sieve", "arc", "2q", "s3fifo"}};
  const CacheAnswer full = analyze(real_trace("cloudPhysicsIO"), question);
  question.sampling = {.rate = 0.1, .samples = 4};
  const CacheAnswer mini = analyze(real_trace("cloudPhysicsIO"), question);
  EXPECT_TRUE(mini.sampled);
  for (std::size_t i = 0; i < full.results.size(); ++i) {
    const EstimatedRatios& ratios = mini.results[i].ratios;
    EXPECT_NEAR(ratios.mean.page, full.results[i].ratios.mean.page, 0.02) << full.results[i].policy;
    EXPECT_LE(ratios.low, ratios.mean.page);
    EXPECT_GE(ratios.high, ratios.mean.page);
  }
}

TEST(AnalyzeCache, GroupsShareOneCacheAndAddUpToIt) {
  std::vector<IoRecord> records = real_trace("lirs_sprite");
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].device = static_cast<std::uint32_t>(records[i].offset_bytes / kPage % 3);
  }
  const CacheAnswer answer =
      analyze(records, {.stream = {.page_bytes = kPage, .group_by = GroupBy::kDevice},
                        .cache_bytes = {400 * kPage}});
  ASSERT_EQ(answer.groups.size(), 3U);
  GroupHits sum;
  for (const GroupHits& group : answer.groups) sum += group;
  EXPECT_EQ(sum.total.all_pages(), 133'996);
  EXPECT_EQ(sum.cold.all_pages(), 7075);
  EXPECT_NEAR(hit_ratios(sum.hits[0], sum.total).page, 0.7077, 0.00005);
}

TEST(AnalyzeCache, TellsTheWorkingSetOfEachWindow) {
  std::vector<IoRecord> records = reads_of_pages({1, 1, 2, 1, 3, 3});
  const std::int64_t times[] = {1000, 1001, 1009, 1010, 1011, 1035};
  for (std::size_t i = 0; i < records.size(); ++i) records[i].queue_ns = times[i];
  const CacheAnswer answer =
      analyze(records, {.stream = {.page_bytes = kPage, .window_ns = 10}, .cache_bytes = {kPage}});
  std::vector<std::array<std::uint64_t, 3>> windows;
  for (const WindowUse& use : answer.windows) {
    windows.push_back({use.window, use.accesses, use.distinct_pages});
  }
  using Window = std::array<std::uint64_t, 3>;
  EXPECT_THAT(windows, testing::ElementsAre(Window{0, 3, 2}, Window{1, 2, 2}, Window{3, 1, 1}));
}

TEST(AnalyzeCache, FindsTheSizeForAShareOfTheReachableHits) {
  // Two loops: over 10 pages nine times, then over 1000 pages twice. 80 hits need 10 pages, 1000
  // more need 1000.
  std::vector<std::uint64_t> pages;
  for (std::uint64_t i = 0; i < 90; ++i) pages.push_back(i % 10);
  for (std::uint64_t i = 0; i < 2000; ++i) pages.push_back(100 + i % 1000);
  const CacheAnswer answer = analyze(
      reads_of_pages(pages), {.stream = {.page_bytes = kPage}, .cache_bytes = {10 * kPage}});
  EXPECT_EQ(answer.pages_for_share(80.0 / 1080), 10U);
  EXPECT_EQ(answer.pages_for_share(0.5), 1000U);
  EXPECT_EQ(answer.pages_for_share(1), 1000U);
}

// Two requests of nearly 4 GiB in the smallest pages, ended after some blocks.
TEST(AnalyzeCache, EndsWithinARequestWithWhatIsKnown) {
  const std::vector<IoRecord> records{read_of(0, 0xfffffe00), read_of(0, 0xfffffe00)};
  CacheQuestion question{.stream = {.page_bytes = 512}, .cache_bytes = {kPage}};
  question.policies = {"lru", "fifo", "opt"};
  int blocks = 0;
  question.go_on = [&] { return ++blocks <= 3; };
  const CacheAnswer answer = analyze(records, question);
  EXPECT_EQ(answer.total.all_pages(), 3.0 * static_cast<double>(question.stream.block_accesses));
  EXPECT_EQ(answer.distinct_pages, answer.total.all_pages());
  EXPECT_EQ(answer.results[1].ratios.mean.page, 0);
  // The bound needs the whole trace and has no result.
  EXPECT_TRUE(std::isnan(answer.results[2].ratios.mean.page));
}

TEST(AnalyzeCache, PassesOnWhatForbidsIt) {
  CacheQuestion question{.stream = {.page_bytes = kPage}, .cache_bytes = {kPage}};
  question.go_on = []() -> bool { throw Error{"too large"}; };
  EXPECT_THROW(analyze(reads_of_pages({1}), question), Error);
}

TEST(AnalyzeCache, TellsHowManyRequestsWarmedUp) {
  CacheQuestion question{.stream = {.page_bytes = kPage, .warm_up_requests = 2},
                         .cache_bytes = {kPage}};
  const CacheAnswer some = analyze(reads_of_pages({1, 2, 3}), question);
  EXPECT_EQ(some.requests, 3U);
  EXPECT_EQ(some.warm_up_requests, 2U);
  question.stream.warm_up_requests = 10;
  const CacheAnswer all = analyze(reads_of_pages({1, 2, 3}), question);
  EXPECT_EQ(all.warm_up_requests, 3U);
  EXPECT_EQ(all.total.all_pages(), 0);
  EXPECT_TRUE(std::isnan(all.results[0].ratios.mean.page));
}

// Nobody knows the ratio of pages of which none is in a sample: the interval is all there is.
TEST(AnalyzeCache, SaysNothingOutOfSamplesThatHoldNoPage) {
  for (const char* policy : {"lru", "arc"}) {
    CacheQuestion question{
        .stream = {.page_bytes = kPage}, .cache_bytes = {10 * kPage}, .policies = {policy}};
    question.sampling = {.rate = 1e-9, .exact_below_pages = 0};
    const EstimatedRatios ratios =
        analyze(reads_of_pages({1, 2, 1, 2}), question).results[0].ratios;
    EXPECT_TRUE(std::isnan(ratios.mean.page)) << policy;
    EXPECT_EQ(ratios.low, 0) << policy;
    EXPECT_EQ(ratios.high, 1) << policy;
  }
}

TEST(AnalyzeCache, RefusesQuestionsWithoutSense) {
  const CacheQuestion good{.stream = {.page_bytes = kPage}, .cache_bytes = {kPage}};
  CacheQuestion small = good;
  small.cache_bytes = {kPage - 1};
  EXPECT_THROW(analyze({}, small), UsageError);
  CacheQuestion unknown = good;
  unknown.policies = {"best"};
  EXPECT_THROW(analyze({}, unknown), UsageError);
  CacheQuestion one_sample = good;
  one_sample.sampling = {.rate = 0.1, .samples = 1};
  EXPECT_THROW(analyze({}, one_sample), UsageError);
  CacheQuestion no_rate = good;
  no_rate.sampling = {.rate = 0};
  EXPECT_THROW(analyze({}, no_rate), UsageError);
  CacheQuestion sampled_groups = good;
  sampled_groups.sampling = {.rate = 0.1};
  sampled_groups.stream.group_by = GroupBy::kDevice;
  EXPECT_THROW(analyze({}, sampled_groups), UsageError);
}

}  // namespace
}  // namespace rigel::test
