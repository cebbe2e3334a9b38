#include "model/compare/size_split.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rigel {
namespace {

double mean_bytes(const std::vector<SizeShare>& sizes) {
  double sum = 0;
  for (const SizeShare& size : sizes) sum += static_cast<double>(size.bytes) * size.percent / 100;
  return sum;
}

int percents(const std::vector<SizeShare>& sizes) {
  int sum = 0;
  for (const SizeShare& size : sizes) sum += size.percent;
  return sum;
}

TEST(SizeSplit, IsExactForWholePercents) {
  BlockedSamples lengths;
  for (int i = 0; i < 1000; ++i) lengths.add(0, i % 20 == 0 ? 131'072 : 8192);
  EXPECT_EQ(bssplit_text(size_split(lengths)), "8192/95:131072/5");
  EXPECT_EQ(main_size(size_split(lengths)).bytes, 8192U);
  EXPECT_TRUE(size_split({}).empty());
  EXPECT_EQ(main_size({}).bytes, 0U);
}

// Five in a thousand carry more than a third of the bytes.
TEST(SizeSplit, KeepsTheBytesOfFewLargeRequests) {
  BlockedSamples lengths;
  for (int i = 0; i < 10'000; ++i) lengths.add(0, i % 200 == 0 ? 1U << 20 : 8192);
  const auto sizes = size_split(lengths);
  EXPECT_NEAR(mean_bytes(sizes) / lengths.mean(), 1, 0.001);
  EXPECT_EQ(percents(sizes), 100);
}

// Devices of 4 KiB sectors take nothing else.
TEST(SizeSplit, OfWholePagesHasWholePages) {
  BlockedSamples lengths;
  for (int i = 0; i < 10'000; ++i)
    lengths.add(0, i % 300 == 0 ? 20'480 : i % 700 == 0 ? 4096 : 8192);
  for (const SizeShare& size : size_split(lengths)) EXPECT_EQ(size.bytes % 4096, 0U);
}

TEST(SizeSplit, FitsWhatFioTakesWhateverTheLengths) {
  BlockedSamples lengths;
  std::mt19937_64 random{3};
  std::lognormal_distribution<double> bytes{10, 1.5};
  for (int i = 0; i < 7777; ++i) lengths.add(0, static_cast<std::uint64_t>(bytes(random)));
  const auto sizes = size_split(lengths);
  EXPECT_LE(sizes.size(), 60U);
  EXPECT_EQ(percents(sizes), 100);
  EXPECT_NEAR(mean_bytes(sizes) / lengths.mean(), 1, 0.02);
  for (const SizeShare& size : sizes) EXPECT_TRUE(size.bytes >= 512 && size.bytes % 512 == 0);
}

}  // namespace
}  // namespace rigel
