#include "model/compare/page_heat.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "model/cache/page_sample.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kSeed = 0;
constexpr std::uint64_t kStretchPages = 256;
constexpr std::size_t kGroups = PageHeatSnapshot::kGroups;

// Falling counts of one group of pages.
using CountMap = std::map<std::uint32_t, double, std::greater<>>;

std::vector<PagesOfCount> list_of(const CountMap& counts) {
  std::vector<PagesOfCount> list;
  list.reserve(counts.size());
  for (const auto& [accesses, pages] : counts) list.push_back({double(accesses), pages});
  return list;
}

}  // namespace

LorenzCurve lorenz_curve(const std::vector<PagesOfCount>& counts) {
  double pages = 0;
  double accesses = 0;
  for (const PagesOfCount& entry : counts) {
    pages += entry.pages;
    accesses += entry.pages * entry.accesses;
  }
  LorenzCurve curve{};
  if (accesses == 0) return curve;
  double pages_before = 0;
  double accesses_before = 0;
  std::size_t top = 0;
  for (const PagesOfCount& entry : counts) {
    for (; top < kTops.size() && kTops[top] * pages <= pages_before + entry.pages; ++top) {
      const double part = kTops[top] * pages - pages_before;
      curve[top] = (accesses_before + part * entry.accesses) / accesses;
    }
    pages_before += entry.pages;
    accesses_before += entry.pages * entry.accesses;
  }
  for (; top < kTops.size(); ++top) curve[top] = 1;
  return curve;
}

PageHeat::Access PageHeat::access(std::uint64_t page) {
  if (rate_ < 1 && page_hash(page, kSeed) >= threshold_) return {};
  const PageId id = index_.number(page);
  const std::uint64_t distance = stack_.access(id);
  Access result{.weight = 1 / rate_};
  if (distance == StackDistance::kCold) {
    counts_.push_back(1);
    result.seen = Seen::kFirst;
    while (index_.size() > max_pages_ && threshold_ > 1) halve();
    return result;
  }
  if (counts_[id] < std::numeric_limits<std::uint32_t>::max()) ++counts_[id];
  result.seen = Seen::kAgain;
  result.distance = static_cast<std::uint64_t>(static_cast<double>(distance) / rate_);
  return result;
}

void PageHeat::halve() {
  threshold_ /= 2;
  rate_ /= 2;
  std::vector<std::uint8_t> keep(index_.size());
  std::size_t kept = 0;
  for (std::size_t id = 0; id < keep.size(); ++id) {
    keep[id] = page_hash(index_.key(static_cast<PageId>(id)), kSeed) < threshold_ ? 1 : 0;
    if (keep[id] != 0) counts_[kept++] = counts_[id];
  }
  counts_.resize(kept);
  index_.retain(keep);
  stack_.retain(keep);
}

std::vector<PagesOfCount> PageHeat::counts() const {
  CountMap all;
  for (const std::uint32_t count : counts_) all[count] += 1 / rate_;
  return list_of(all);
}

PageHeatSnapshot PageHeat::snapshot() const {
  std::array<CountMap, kGroups> groups;
  CountMap all;
  for (std::size_t id = 0; id < counts_.size(); ++id) {
    // Another hash than the one that chooses the sample.
    const std::uint64_t hash =
        page_hash(index_.key(static_cast<PageId>(id)) / kStretchPages, kSeed + 1);
    ++groups[hash >> 32 & (kGroups - 1)][counts_[id]];
  }
  for (const CountMap& group : groups) {
    for (const auto& [accesses, pages] : group) all[accesses] += pages;
  }
  PageHeatSnapshot result;
  result.distinct_pages = static_cast<double>(counts_.size()) / rate_;
  result.top_shares = lorenz_curve(list_of(all));
  for (std::size_t g = 0; g < kGroups; ++g) {
    CountMap rest = all;
    for (const auto& [accesses, pages] : groups[g]) rest[accesses] -= pages;
    result.top_shares_leave_out[g] = lorenz_curve(list_of(rest));
  }
  return result;
}

}  // namespace rigel
