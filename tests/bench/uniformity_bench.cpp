// Are the offsets of `rigel orion` spread evenly, and does the generator ever come round again?
// 1e8 draws of 8 KiB blocks for spans of 512 GiB and 3 TiB, by two threads of a point in turn, each
// seed and point a test of its own:
// chi-square over 65,536 equal shares of the span; chi-square of pairs of neighbours (256 x 256
// shares, so that a dependence of one draw on the next shows); and Brent's search for a cycle of
// the drawn blocks, by windows of four draws (a single block comes up again by chance; four in a
// row do not in the life of the universe). Usage: uniformity_bench [DRAWS=100000000 [SEEDS=3]];
// exit 1 where p leaves (0.001, 0.999).
#include <fmt/format.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "replay/orion_offsets.hpp"

namespace {

constexpr std::uint64_t kBlockBytes = 8192;
constexpr unsigned kShareBits = 16;

// Probability that honest draws are spread at least as evenly as these.
double chi_square_p(const std::vector<std::uint64_t>& counts, double draws) {
  const double expected = draws / static_cast<double>(counts.size());
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    statistic += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  return boost::math::cdf(boost::math::chi_squared(static_cast<double>(counts.size() - 1)),
                          statistic);
}

struct Verdict {
  double places_p = 0;
  double pairs_p = 0;
  bool cycle = false;
};

Verdict examine(std::array<rigel::RandomOffsets, 2> offsets, std::uint64_t blocks,
                std::uint64_t draws) {
  std::vector<std::uint64_t> places(std::size_t{1} << kShareBits);
  std::vector<std::uint64_t> pairs(places.size());
  std::array<std::uint64_t, 4> window{};
  std::array<std::uint64_t, 4> kept{};  // the window at the last power of two
  std::uint64_t next_kept = 4;
  Verdict verdict;
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t block = offsets[i % offsets.size()].next();
    // Both spans are a power of two, or three of them: shares of equally many blocks.
    const std::uint64_t share = (block << kShareBits) / blocks;
    ++places[share];
    if (i % 2 == 1) ++pairs[(before >> 8) << 8 | share >> 8];
    before = share;
    window = {window[1], window[2], window[3], block};
    if (i + 1 == next_kept) {
      kept = window;
      next_kept *= 2;
    } else if (i > 4 && window == kept) {
      verdict.cycle = true;
    }
  }
  verdict.places_p = chi_square_p(places, static_cast<double>(draws));
  verdict.pairs_p = chi_square_p(pairs, static_cast<double>(draws / 2));
  return verdict;
}

bool plausible(double p) {
  return p > 0.001 && p < 0.999;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t draws = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000;
  const std::uint64_t seeds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3;
  bool good = true;
  for (const std::uint64_t span : {std::uint64_t{512} << 30, std::uint64_t{3} << 40}) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::uint64_t blocks = span / kBlockBytes;
      // The high bits of one sequence would decide both spans' shares alike.
      const auto point = static_cast<std::uint32_t>(seed + (span >> 30));
      const Verdict verdict = examine({rigel::RandomOffsets{{seed, point, 0, 0}, blocks, false},
                                       rigel::RandomOffsets{{seed, point, 0, 1}, blocks, false}},
                                      blocks, draws);
      fmt::print("{} GiB, seed {}, {} draws: chi-square p of places {:.4f}, of pairs {:.4f}; {}\n",
                 span >> 30, seed, draws, verdict.places_p, verdict.pairs_p,
                 verdict.cycle ? "it comes round again" : "no cycle");
      good = good && !verdict.cycle && plausible(verdict.places_p) && plausible(verdict.pairs_p);
    }
  }
  return good ? 0 : 1;
}
