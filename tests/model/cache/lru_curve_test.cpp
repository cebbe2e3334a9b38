#include "model/cache/lru_curve.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <random>

#include "tests/model/cache/memory_trace.hpp"

namespace rigel::test {
namespace {

MissRatioCurve curve_of(const std::vector<IoRecord>& records, std::uint32_t page_bytes,
                        std::vector<std::uint64_t> sizes = {}, std::uint64_t warm_up_requests = 0) {
  LruCurve lru{std::move(sizes)};
  for_each_block(records, {.page_bytes = page_bytes, .warm_up_requests = warm_up_requests},
                 [&](const PageBlock& block) { lru.add(block); });
  return lru.curve();
}

std::string four(double ratio) {
  return fmt::format("{:.4f}", ratio);
}

TEST(LruCurve, EqualsTheReferenceHitRatios) {
  const std::vector<ReferenceHitRatio> rows = reference_hit_ratios("lru");
  ASSERT_EQ(rows.size(), 17U);
  for (const ReferenceHitRatio& row : rows) {
    const MissRatioCurve curve =
        curve_of(real_trace(row.trace), row.page_bytes, {row.capacity_pages});
    EXPECT_EQ(four(curve.at(row.capacity_pages).page), four(row.hit_ratio))
        << row.trace << " at " << row.capacity_pages;
  }
}

TEST(LruCurve, CountsByPageAndByRequestReadsAndWritesApart) {
  constexpr std::uint64_t kCache = 256U << 20;
  const std::vector<IoRecord>& trace = real_trace("cloudPhysicsIO");
  const MissRatioCurve by4k = curve_of(trace, 4096);
  EXPECT_EQ(by4k.total().all_pages(), 1'141'869);
  EXPECT_EQ(by4k.distinct_pages(), 269'210);
  EXPECT_EQ(by4k.cold().all_pages(), 269'210);
  EXPECT_EQ(four(by4k.at(kCache / 4096).page), "0.2492");
  EXPECT_EQ(four(by4k.at(kCache / 4096).request), "0.3459");
  EXPECT_EQ(four(by4k.at(kCache / 4096).read_request), "0.2966");
  EXPECT_EQ(four(by4k.at(kCache / 4096).write_request), "0.3805");

  const HitRatios by16k = curve_of(trace, 16384).at(kCache / 16384);
  EXPECT_EQ(four(by16k.page), "0.3971");
  EXPECT_EQ(four(by16k.request), "0.4181");
  const HitRatios by64k = curve_of(trace, 65536).at(kCache / 65536);
  EXPECT_EQ(four(by64k.page), "0.6533");
  EXPECT_EQ(four(by64k.request), "0.4912");
}

// The definition, step by step: a list in order of last use.
TEST(LruCurve, AgreesWithAListAtEverySize) {
  std::mt19937 random{7};
  std::vector<std::uint64_t> pages;
  for (int i = 0; i < 3000; ++i) {
    pages.push_back(std::min(random() % 200, random() % 200));
  }
  std::vector<std::size_t> hits(201, 0);
  std::list<std::uint64_t> stack;
  for (const std::uint64_t page : pages) {
    const auto found = std::find(stack.begin(), stack.end(), page);
    if (found != stack.end()) {
      const auto depth = static_cast<std::size_t>(std::distance(stack.begin(), found));
      for (std::size_t size = depth + 1; size < hits.size(); ++size) ++hits[size];
      stack.erase(found);
    }
    stack.push_front(page);
  }
  const MissRatioCurve curve = curve_of(reads_of_pages(pages), 4096);
  for (std::size_t size = 0; size < hits.size(); ++size) {
    EXPECT_EQ(curve.hits(size).all_pages(), static_cast<double>(hits[size])) << size;
  }
}

// A loop over n pages never hits in n - 1 pages and always, but for the first round, in n. So long
// a loop that the time line is closed up several times and distances lie in the coarse bins.
TEST(LruCurve, ALoopHitsOnlyWhenItFits) {
  constexpr std::uint64_t kLoop = 200'001;
  std::vector<std::uint64_t> pages;
  for (std::uint64_t i = 0; i < 5 * kLoop; ++i) pages.push_back(i % kLoop);
  const MissRatioCurve curve = curve_of(reads_of_pages(pages), 4096, {kLoop - 1, kLoop});
  EXPECT_EQ(curve.at(kLoop - 1).page, 0);
  EXPECT_DOUBLE_EQ(curve.at(kLoop).page, 0.8);
  EXPECT_EQ(curve.pages_for_share(0.5), kLoop);
  EXPECT_EQ(curve.pages_for_share(1), kLoop);
}

TEST(LruCurve, WeighsBytesByWhatTheRequestTouches) {
  // 512 bytes of a page, then 4 KiB of it: one hit of two pages, 4096 of 4608 bytes.
  const MissRatioCurve curve = curve_of({read_of(0, 512), write_of(0, 4096)}, 4096);
  EXPECT_DOUBLE_EQ(curve.at(1).page, 0.5);
  EXPECT_DOUBLE_EQ(curve.at(1).byte, 4096.0 / 4608);
  EXPECT_DOUBLE_EQ(curve.at(1).read_page, 0);
  EXPECT_DOUBLE_EQ(curve.at(1).write_page, 1);
}

TEST(LruCurve, WarmUpFillsTheCacheWithoutBeingCounted) {
  const MissRatioCurve curve = curve_of(reads_of_pages({1, 2, 1, 2, 3}), 4096, {}, 2);
  EXPECT_EQ(curve.total().all_pages(), 3);
  EXPECT_EQ(curve.cold().all_pages(), 1);
  EXPECT_EQ(curve.hits(2).all_pages(), 2);
  EXPECT_EQ(curve.distinct_pages(), 3);
}

TEST(LruCurve, HasNoRatioOfNothing) {
  const HitRatios empty = curve_of({}, 4096).at(1000);
  for (const double ratio : {empty.page, empty.read_page, empty.write_page, empty.request,
                             empty.read_request, empty.write_request, empty.byte}) {
    EXPECT_TRUE(std::isnan(ratio));
  }
  const HitRatios reads = curve_of({read_of(0, 512), read_of(0, 512)}, 4096).at(1);
  EXPECT_EQ(reads.read_page, 0.5);
  EXPECT_TRUE(std::isnan(reads.write_page));
  EXPECT_TRUE(std::isnan(reads.write_request));
  const HitRatios warm_up = curve_of(reads_of_pages({1, 1}), 4096, {}, 5).at(1);
  EXPECT_TRUE(std::isnan(warm_up.page));
}

TEST(LruCurve, HasNoSizeForAShareOfNoHits) {
  EXPECT_EQ(curve_of({}, 4096).pages_for_share(0.5), std::nullopt);
  EXPECT_EQ(curve_of(reads_of_pages({1, 2, 3}), 4096).pages_for_share(0.5), std::nullopt);
}

}  // namespace
}  // namespace rigel::test
