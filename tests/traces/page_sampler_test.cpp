#include "traces/page_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"
#include "traces/page_pieces.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kPage = 4096;

std::vector<IoRecord> random_io(std::size_t count, std::uint64_t pages, std::uint32_t seed) {
  std::mt19937_64 random{seed};
  std::vector<IoRecord> records(count);
  for (std::size_t i = 0; i < count; ++i) {
    records[i].queue_ns = static_cast<std::int64_t>(i);
    records[i].offset_bytes = random() % pages * kPage + random() % 8 * 512;
    records[i].length_bytes = static_cast<std::uint32_t>((1 + random() % 64) * 512);
  }
  return records;
}

// How often each page is touched.
std::map<std::uint64_t, std::size_t> touches(const std::vector<IoRecord>& records) {
  std::map<std::uint64_t, std::size_t> result;
  for (const IoRecord& record : records) {
    const PageRange pages = pages_of(record.offset_bytes, record.length_bytes, kPage);
    for (std::uint64_t page = pages.first; page < pages.end; ++page) ++result[page];
  }
  return result;
}

std::vector<IoRecord> sampled(std::vector<IoRecord> records, double rate,
                              const std::string& device = "sda") {
  const auto source = sample_pages(
      std::make_unique<MemoryTrace>(std::move(records), tables_of({device})), rate, kPage);
  return read_all(*source);
}

TEST(PageSampler, ASampledPageKeepsAllOfItsIoAndTheOthersNone) {
  const auto records = random_io(20'000, 3000, 1);
  const auto before = touches(records);
  const auto after = touches(sampled(records, 0.1));
  for (const auto& [page, count] : after) EXPECT_EQ(count, before.at(page)) << page;
  EXPECT_GT(after.size(), 0U);
}

TEST(PageSampler, TheShareOfPagesIsTheRateWithinItsSamplingError) {
  constexpr std::size_t kPages = 100'000;
  std::vector<IoRecord> records(kPages);
  for (std::size_t i = 0; i < kPages; ++i) {
    records[i].offset_bytes = i * kPage;
    records[i].length_bytes = kPage;
  }
  for (const double rate : {0.01, 0.1, 0.5}) {
    const double deviation = std::sqrt(rate * (1 - rate) / kPages);
    const double share = static_cast<double>(touches(sampled(records, rate)).size()) / kPages;
    EXPECT_NEAR(share, rate, 4 * deviation);
  }
}

TEST(PageSampler, TheChoiceIsTheSameInEveryTraceOfADeviceAndOtherOnAnother) {
  const auto pages_sampled = [](std::uint32_t seed, const std::string& device) {
    std::set<std::uint64_t> pages;
    for (const auto& [page, count] : touches(sampled(random_io(20'000, 1000, seed), 0.2, device))) {
      pages.insert(page);
    }
    return pages;
  };
  EXPECT_EQ(pages_sampled(1, "sda"), pages_sampled(2, "sda"));
  EXPECT_NE(pages_sampled(1, "sda"), pages_sampled(1, "sdb"));
}

TEST(PageSampler, FlushesHaveNoPageAndAreLeftOut) {
  IoRecord flush;
  flush.op = IoOp::kFlush;
  EXPECT_TRUE(sampled({flush}, 0.999).empty());
}

TEST(PageSampler, RatesOutsideOfZeroToOneAreRefused) {
  for (const double rate : {0.0, -0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(sampled({}, rate), UsageError) << rate;
  }
}

}  // namespace
}  // namespace rigel
