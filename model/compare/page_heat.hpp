// Reuse and hot spots of a stream of page accesses in bounded memory: the LRU stack distance of
// every access, and how unevenly accesses fall on pages. Of up to `max_pages` pages all is exact;
// beyond, a sample of the pages chosen by hash stands for all, its rate halved as often as needed
// (SHARDS of fixed size: Waldspurger, Park, Garthwaite, Ahmad, FAST 2015). Some 30 bytes a page.
// One thread; throws Error for more than 2^32 pages.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/cache/page_index.hpp"
#include "model/cache/stack_distance.hpp"

namespace rigel {

// The Lorenz curve, hottest first: the share of the accesses that the hottest kTops[i] of the
// touched pages get.
inline constexpr std::array kTops{0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15,
                                  0.2,   0.25,  0.3,   0.4,  0.5,  0.6,  0.7,  0.8,  0.9};
using LorenzCurve = std::array<double, kTops.size()>;

// How many pages were accessed so many times.
struct PagesOfCount {
  double accesses = 0;
  double pages = 0;
};
// From counts in falling order of accesses; all 0 of none.
[[nodiscard]] LorenzCurve lorenz_curve(const std::vector<PagesOfCount>& counts);

// All until some moment. `leave_out[g]` is the same without group g: stretches of 256 pages, which
// are mostly of one file and used alike, fall into 16 groups by hash, and how much the figure
// varies when one is left out gives its standard error (the delete-a-group jackknife: R. G. Miller,
// Biometrika 61, 1974).
struct PageHeatSnapshot {
  static constexpr std::size_t kGroups = 16;
  double distinct_pages = 0;
  LorenzCurve top_shares{};
  std::array<LorenzCurve, kGroups> top_shares_leave_out{};
};

class PageHeat {
 public:
  explicit PageHeat(std::size_t max_pages) : max_pages_{max_pages} {}

  enum class Seen : std::uint8_t { kLeftOut, kFirst, kAgain };
  struct Access {
    Seen seen = Seen::kLeftOut;  // kLeftOut: not of the sample
    std::uint64_t distance = 0;  // of kAgain: other pages touched since, an estimate when sampled
    double weight = 1;           // so many accesses it stands for
  };
  [[nodiscard]] Access access(std::uint64_t page);

  [[nodiscard]] PageHeatSnapshot snapshot() const;
  // In falling order of accesses; of a sample, its pages stand for all.
  [[nodiscard]] std::vector<PagesOfCount> counts() const;
  [[nodiscard]] double sampling_rate() const { return rate_; }

 private:
  void halve();

  std::size_t max_pages_;
  std::uint64_t threshold_ = ~std::uint64_t{0};
  double rate_ = 1;
  PageIndex index_;
  StackDistance stack_;
  std::vector<std::uint32_t> counts_;  // by page number
};

}  // namespace rigel
