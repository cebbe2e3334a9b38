#include "model/cache/lru_curve.hpp"

#include <algorithm>
#include <array>

namespace rigel {

namespace {
constexpr std::size_t kAhead = 16;  // accesses whose memory is fetched ahead
constexpr std::size_t kChunk = 256;
}  // namespace

// Room for all bins is only address space until they are used.
LruCurve::LruCurve(std::vector<std::uint64_t> sizes_pages, unsigned exact_bits)
    : bins_{std::move(sizes_pages), exact_bits} {
  histogram_.reserve(bins_.size());
}

// The bin of each access's distance. The bins are spread over megabytes: they are found first and
// fetched ahead when they are counted up.
void LruCurve::find_bins(std::span<const PageId> ids, std::size_t begin,
                         std::span<std::uint32_t> bins) {
  const std::size_t last = ids.size() - 1;
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    stack_.prefetch(ids[std::min(begin + i + 2 * kAhead, last)]);
    stack_.prefetch_place(ids[std::min(begin + i + kAhead, last)]);
    const std::uint64_t distance = stack_.access(ids[begin + i]);
    bins[i] = kColdBin;
    if (distance == StackDistance::kCold) continue;
    bins[i] = static_cast<std::uint32_t>(bins_.index(distance));
    largest = std::max(largest, bins[i]);
  }
  if (largest >= histogram_.size()) histogram_.resize(largest + std::size_t{1});
}

void LruCurve::add(const PageBlock& block, std::span<const PageId> ids) {
  std::array<std::uint32_t, kChunk> chunk;
  for (std::size_t begin = 0; begin < ids.size(); begin += kChunk) {
    const std::span bins{chunk.data(), std::min(kChunk, ids.size() - begin)};
    find_bins(ids, begin, bins);
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const std::uint32_t ahead = bins[std::min(i + kAhead, bins.size() - 1)];
      __builtin_prefetch(&counts_in(ahead), 1);
      const PageAccess access = block.accesses[begin + i];
      // Bins grow with the distance, cold ones last: the request's worst page decides.
      request_bin_ = std::max(request_bin_, bins[i]);
      if (block.counted) counts_in(bins[i]).add_page(access);
      if (!access.last()) continue;
      if (block.counted) counts_in(request_bin_).add_request(access);
      request_bin_ = 0;
    }
  }
}

void LruCurve::halve() {
  const auto half = [](AccessCounts& counts) {
    counts.combine(counts, [](double a, double) { return a / 2; });
  };
  half(cold_);
  std::vector<AccessCounts> halved;
  halved.reserve(bins_.size());
  halved.resize(histogram_.size());
  for (std::size_t bin = 0; bin < histogram_.size(); ++bin) {
    half(histogram_[bin]);
    halved[bins_.index(bins_.begin_of(bin) / 2)] += histogram_[bin];
  }
  histogram_ = std::move(halved);
}

}  // namespace rigel
