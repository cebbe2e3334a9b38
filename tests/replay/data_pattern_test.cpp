#include "replay/data_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "traces/error.hpp"

namespace rigel {
namespace {

// Share of the bytes of 4 KiB blocks that appeared before.
double repeated_share(const DataPattern& pattern) {
  std::set<std::string> seen;
  std::vector<std::byte> block(DataPattern::kBlockBytes);
  int repeated = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    pattern.fill(block, i * 4096, i);
    if (!seen.emplace(reinterpret_cast<const char*>(block.data()), block.size()).second) ++repeated;
  }
  return repeated / 10'000.0;
}

TEST(DataPattern, NoBlockRepeatsUnlessAskedTo) {
  EXPECT_EQ(repeated_share(DataPattern{{}}), 0);
  // All but the first of each of the blocks that are drawn from.
  EXPECT_NEAR(repeated_share(DataPattern{{.dedupe = 0.5}}), 0.5 - 64 / 10'000.0, 0.02);
}

TEST(DataPattern, CompressibleShareIsZeros) {
  const DataPattern pattern{{.compressible = 0.25}};
  std::vector<std::byte> data(65536);
  pattern.fill(data, 0, 0);
  const auto zeros = std::count(data.begin(), data.end(), std::byte{0});
  // A quarter, and 1/256 of what is random.
  EXPECT_NEAR(static_cast<double>(zeros) / 65536, 0.25 + 0.75 / 256, 0.005);
}

TEST(DataPattern, SameSeedWritesTheSameAndAnotherSeedDoesNot) {
  std::vector<std::byte> a(8192);
  std::vector<std::byte> b(8192);
  DataPattern{{.seed = 5}}.fill(a, 8192, 3);
  DataPattern{{.seed = 5}}.fill(b, 8192, 3);
  EXPECT_EQ(a, b);
  DataPattern{{.seed = 6}}.fill(b, 8192, 3);
  EXPECT_NE(a, b);
  DataPattern{{.seed = 5}}.fill(b, 8192, 4);
  EXPECT_NE(a, b);
  EXPECT_THROW(DataPattern{{.dedupe = 1.5}}, UsageError);
}

}  // namespace
}  // namespace rigel
