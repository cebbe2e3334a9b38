// A mixture of populations of latencies, and its fit to a histogram by maximum likelihood (EM: A.
// P. Dempster, N. M. Laird, D. B. Rubin, J. R. Stat. Soc. B 39, 1977).
//
// Hits are lognormal. Misses are gamma or lognormal, by themselves or on top of a part of the time
// that a hit takes, as where both pass a link, or a miss is a lookup in the cache and then a disk.
// Gamma holds the exponential response time of a loaded disk and the narrower one of an idle disk;
// its shape solves ln k - digamma(k) = ln E[x] - E[ln x]. On top of a hit it is 1 at least: below,
// it would have its pole where the hits are, and take them for its own. Some hits may be delayed,
// by the host or in a queue: they take the median hit and an exponential time more, of up to two
// means, which are short beside a miss. Which of these it is, BIC decides (G. Schwarz, Ann.
// Statist. 6, 1978).
//
// Pure functions; nothing throws but allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rigel {

// The bins in use (log_bins.hpp), rising.
struct LatencyCounts {
  std::vector<double> ns;  // the bin's middle
  std::vector<double> log_ns;
  std::vector<double> lower_ns;
  std::vector<double> upper_ns;
  std::vector<double> counts;
  double total = 0;
};
// Counts by bin; the infinite are left out.
[[nodiscard]] LatencyCounts histogram_of(const std::vector<double>& bins);

enum class MissShape : std::uint8_t { kGamma, kLognormal };

// Of a lognormal: mean and standard deviation of ln x. Of a gamma: shape and scale in ns.
struct LatencyPopulation {
  double first = 0;
  double second = 0;
};

struct LatencyMixture {
  static constexpr std::size_t kMostDelays = 2;
  // Hits that take the median hit and an exponential time.
  struct Delay {
    double share = 0;  // of all I/Os
    double mean_ns = 0;
  };

  double undelayed_share = 0;  // hits that nothing delays
  LatencyPopulation hit;       // lognormal
  std::array<Delay, kMostDelays> delays{};
  std::size_t delay_count = 0;
  MissShape miss_shape = MissShape::kGamma;
  // What is of this shape is a miss's time beyond this part of the median hit's.
  double miss_floor = 0;
  LatencyPopulation miss;
  double log_likelihood = 0;  // of the histogram it was fitted to, over ln x

  [[nodiscard]] double hit_share() const;
  [[nodiscard]] double hit_median_ns() const;
  [[nodiscard]] double miss_mean_ns() const;
  // Share of I/Os that take at most so long; and that do so and are misses.
  [[nodiscard]] double share_below(double ns) const;
  [[nodiscard]] double misses_below(double ns) const;
};

// Densities over ln x, each times its share.
struct MixtureParts {
  double undelayed = 0;
  std::array<double, LatencyMixture::kMostDelays> delayed{};
  double miss = 0;
  [[nodiscard]] double hit() const { return undelayed + delayed[0] + delayed[1]; }
  [[nodiscard]] double all() const { return hit() + miss; }
};

class MixtureDensity {
 public:
  explicit MixtureDensity(const LatencyMixture& mixture);
  [[nodiscard]] MixtureParts at(double log_ns, double ns) const;

 private:
  LatencyMixture mixture_;
  double floor_ns_;
  double hit_ns_;
  double log_norm_;  // of a gamma
};

// Expectation and maximisation from `start` until the likelihood stands still.
[[nodiscard]] LatencyMixture climb(const LatencyCounts& latencies, LatencyMixture start);
// The best of all kinds, from several starts. The histogram is not empty. Without a finite
// log likelihood when there is none with hits faster than misses.
[[nodiscard]] LatencyMixture fit_mixture(const LatencyCounts& latencies);
// Whether the mixture is likelier than any single lognormal or gamma by more than its further
// parameters cost.
[[nodiscard]] bool is_likelier_than_one(const LatencyMixture& mixture,
                                        const LatencyCounts& latencies);
// Kolmogorov's distance of the mixture from what was measured, latencies known to two bins.
[[nodiscard]] double misfit(const LatencyMixture& mixture, const LatencyCounts& latencies);

}  // namespace rigel
